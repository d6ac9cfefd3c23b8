/// Writes the sequences of an LZ4 block: literals, then a match.
///
///     sequence := token [more literal length] literals [distance(2) [more match length]]
///
/// The token's high four bits are the number of literals, its low ones the length of the match less
/// four; 15 means that bytes follow which are added, up to one that is not 255.
struct SequenceWriter {
  private let base: UnsafeMutableRawPointer
  private let end: Int
  private(set) var count = 0
  /// Whether something did not fit; the bytes are of no use then.
  private(set) var isFull = false

  init(_ base: UnsafeMutableRawPointer, end: Int) {
    self.base = base
    self.end = end
  }

  /// A sequence with a match; `readable` bytes may be read where the literals are.
  @inline(__always)
  mutating func write(
    _ literals: UnsafeRawPointer, literalCount: Int, readable: Int, distance: UInt16, length: Int
  ) {
    let more = length - DictionaryMatcher.matchByteCountMinimum
    write(
      literals, literalCount, readable, token: UInt8(min(more, 15)), roomAfter: 3 + more / 255)
    guard !isFull else { return }
    base.storeBytes(of: distance.littleEndian, toByteOffset: count, as: UInt16.self)
    count += 2
    if more >= 15 { writeMore(more - 15) }
  }

  /// Sequences of another block, with matches; returns where they begin, or nothing when they do
  /// not fit.
  mutating func write(sequences: UnsafeRawBufferPointer) -> Int? {
    guard !isFull, sequences.count <= end - count, let source = sequences.baseAddress else {
      isFull = true
      return nil
    }
    (base + count).copyMemory(from: source, byteCount: sequences.count)
    count += sequences.count
    return count - sequences.count
  }

  /// Puts another distance at `offset`, where one was written.
  func change(distance: UInt16, at offset: Int) {
    precondition(offset >= 0 && offset <= count - 2, "a distance must have been written")
    base.storeBytes(of: distance.littleEndian, toByteOffset: offset, as: UInt16.self)
  }

  /// The last sequence, which has no match.
  mutating func write(_ literals: UnsafeRawPointer, literalCount: Int) {
    write(literals, literalCount, literalCount, token: 0, roomAfter: 0)
  }

  @inline(__always)
  private mutating func write(
    _ literals: UnsafeRawPointer, _ literalCount: Int, _ readable: Int, token: UInt8,
    roomAfter: Int
  ) {
    guard !isFull, count + 2 + literalCount + literalCount / 255 + roomAfter <= end else {
      isFull = true
      return
    }
    base.storeBytes(
      of: token | UInt8(min(literalCount, 15)) << 4, toByteOffset: count, as: UInt8.self)
    count += 1
    if literalCount >= 15 { writeMore(literalCount - 15) }
    copy(literals, literalCount, readable)
    count += literalCount
  }

  /// Most are short: then as many bytes as two registers hold are copied, where they may be read
  /// and there is room; what is written too much the next sequence overwrites.
  @inline(__always)
  private func copy(_ literals: UnsafeRawPointer, _ literalCount: Int, _ readable: Int) {
    let target = base + count
    guard literalCount <= 32, readable >= 32, end &- count >= 32 else {
      return target.copyMemory(from: literals, byteCount: literalCount)
    }
    let first = literals.loadUnaligned(as: SIMD16<UInt8>.self)
    let second = literals.loadUnaligned(fromByteOffset: 16, as: SIMD16<UInt8>.self)
    target.storeBytes(of: first, as: SIMD16<UInt8>.self)
    target.storeBytes(of: second, toByteOffset: 16, as: SIMD16<UInt8>.self)
  }

  private mutating func writeMore(_ more: Int) {
    var rest = more
    while rest >= 255 {
      base.storeBytes(of: UInt8(255), toByteOffset: count, as: UInt8.self)
      count += 1
      rest -= 255
    }
    base.storeBytes(of: UInt8(rest), toByteOffset: count, as: UInt8.self)
    count += 1
  }
}
