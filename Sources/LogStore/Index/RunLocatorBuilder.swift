internal import BinaryCoding

/// Builds some parts of a ``RunLocator``; memory is theirs.
///
/// Each key goes to a line of its own, and waiting for these lines would be most of the work. So
/// keys are collected in groups, whose lines are asked for before the first is written to.
struct RunLocatorBuilder: ~Copyable {
  /// The parts that are built, of all that the locator has.
  let parts: Range<Int>
  private let partCount: Int
  private var bytes: ByteWriter
  /// What waits for its line.
  private let pending = Waiting()
  private var pendingCount = 0

  private struct Pending {
    let hash: UInt64
    let place: UInt32
    /// The part, counted from the first that is built.
    let part: UInt32
  }

  /// Room for as many keys as the processor keeps on their way, and some more.
  private struct Waiting: ~Copyable {
    static let capacity = 32
    let keys = UnsafeMutablePointer<Pending>.allocate(capacity: Waiting.capacity)

    deinit { keys.deallocate() }
  }

  init(parts: Range<Int>, of partCount: Int) {
    self.parts = parts
    self.partCount = partCount
    bytes = ByteWriter(capacity: parts.count * RunLocator.partByteCount)
    bytes.writeZeros(parts.count * RunLocator.partByteCount)
  }

  /// Adds a key whose fields start at `place`, unless it belongs to a part that is not built here;
  /// false when the part of this one, or of one that came shortly before, is full.
  @inline(__always)
  mutating func insert(_ hash: UInt64, place: UInt32) -> Bool {
    let part = RunLocator.part(of: hash, partCount: partCount) - parts.lowerBound
    guard part >= 0, part < parts.count else { return true }
    (pending.keys + pendingCount).initialize(
      to: Pending(hash: hash, place: place, part: UInt32(truncatingIfNeeded: part)))
    pendingCount += 1
    return pendingCount < Waiting.capacity || writePending()
  }

  /// Asks for the lines of all that waits, and then writes to them; false when a part is full.
  private mutating func writePending() -> Bool {
    let count = pendingCount
    pendingCount = 0
    guard let base = bytes.mutableBytes.baseAddress else { return count == 0 }
    for index in 0..<count {
      let key = pending.keys[index]
      let line = RunLocator.line(of: key.hash) * RunLocator.lineByteCount
      Prefetch.read(
        base + Int(key.part) * RunLocator.partByteCount + line, count: RunLocator.lineByteCount)
    }
    for index in 0..<count where !Self.write(pending.keys[index], to: base) { return false }
    return true
  }

  private static func write(_ key: Pending, to base: UnsafeMutableRawPointer) -> Bool {
    let part = base + Int(key.part) * RunLocator.partByteCount
    var line = RunLocator.line(of: key.hash)
    for _ in 0..<RunLocator.lineCount {
      let start = part + line * RunLocator.lineByteCount
      let count = start.load(fromByteOffset: RunLocator.countOffset, as: UInt8.self)
      if count < UInt8(RunLocator.lineCapacity) {
        let slot = Int(count)
        start.storeBytes(
          of: RunLocator.fingerprint(of: key.hash).littleEndian, toByteOffset: 2 * slot,
          as: UInt16.self)
        start.storeBytes(
          of: key.place.littleEndian, toByteOffset: RunLocator.placesOffset + 4 * slot,
          as: UInt32.self)
        start.storeBytes(of: count + 1, toByteOffset: RunLocator.countOffset, as: UInt8.self)
        return true
      }
      start.storeBytes(of: 1, toByteOffset: RunLocator.fullOffset, as: UInt8.self)
      line = line + 1 == RunLocator.lineCount ? 0 : line + 1
    }
    return false
  }

  /// The finished parts, or nothing when one is full; `start` is the place of the locator's first
  /// part.
  consuming func finish(salt: UInt64, start: UInt64) -> ByteWriter? {
    guard writePending() else { return nil }
    for index in 0..<parts.count {
      let offset = index * RunLocator.partByteCount
      let part = UnsafeRawBufferPointer(
        rebasing: bytes.bytes[offset..<(offset + RunLocator.partByteCount)])
      let place = start + UInt64((parts.lowerBound + index) * RunLocator.partByteCount)
      let checksum = RunLocator.checksum(part, salt: salt, place: place)
      bytes.mutableBytes.storeBytes(
        of: checksum.littleEndian, toByteOffset: offset + RunLocator.checksumOffset,
        as: UInt32.self)
    }
    return bytes
  }
}
