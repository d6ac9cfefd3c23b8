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
  private var pending: [Pending] = []

  private struct Pending {
    let hash: UInt64
    let place: UInt32
    /// Where its part begins, in `bytes`.
    let base: Int
  }

  /// As many as the processor keeps on their way, and some more.
  private static let pendingCount = 32

  init(parts: Range<Int>, of partCount: Int) {
    self.parts = parts
    self.partCount = partCount
    bytes = ByteWriter(capacity: parts.count * RunLocator.partByteCount)
    bytes.writeZeros(parts.count * RunLocator.partByteCount)
  }

  /// Adds a key whose fields start at `place`, unless it belongs to a part that is not built here;
  /// false when the part of this one, or of one that came shortly before, is full.
  mutating func insert(_ hash: UInt64, place: UInt32) -> Bool {
    let part = RunLocator.part(of: hash, partCount: partCount)
    guard parts.contains(part) else { return true }
    let base = (part - parts.lowerBound) * RunLocator.partByteCount
    if let start = bytes.bytes.baseAddress {
      let line = RunLocator.line(of: hash) * RunLocator.lineByteCount
      Prefetch.read(start + base + line, count: RunLocator.lineByteCount)
    }
    pending.append(Pending(hash: hash, place: place, base: base))
    return pending.count < Self.pendingCount || writePending()
  }

  /// Writes what waits for its line; false when a part is full.
  private mutating func writePending() -> Bool {
    let buffer = bytes.mutableBytes
    defer { pending.removeAll(keepingCapacity: true) }
    return pending.allSatisfy { Self.write($0, to: buffer) }
  }

  private static func write(_ key: Pending, to buffer: UnsafeMutableRawBufferPointer) -> Bool {
    var line = RunLocator.line(of: key.hash)
    for _ in 0..<RunLocator.lineCount {
      let start = key.base + line * RunLocator.lineByteCount
      let count = Int(buffer[start + RunLocator.countOffset])
      if count < RunLocator.lineCapacity {
        buffer.storeBytes(
          of: RunLocator.fingerprint(of: key.hash).littleEndian, toByteOffset: start + 2 * count,
          as: UInt16.self)
        buffer.storeBytes(
          of: key.place.littleEndian, toByteOffset: start + RunLocator.placesOffset + 4 * count,
          as: UInt32.self)
        buffer[start + RunLocator.countOffset] = UInt8(count + 1)
        return true
      }
      buffer[start + RunLocator.fullOffset] = 1
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
