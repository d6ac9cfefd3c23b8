internal import BinaryCoding

/// Builds some parts of a ``RunLocator``; memory is theirs.
struct RunLocatorBuilder: ~Copyable {
  /// The parts that are built, of all that the locator has.
  let parts: Range<Int>
  private let partCount: Int
  private var bytes: ByteWriter

  init(parts: Range<Int>, of partCount: Int) {
    self.parts = parts
    self.partCount = partCount
    bytes = ByteWriter(capacity: parts.count * RunLocator.partByteCount)
    bytes.writeZeros(parts.count * RunLocator.partByteCount)
  }

  /// Adds a key whose fields start at `place`, unless it belongs to a part that is not built here;
  /// false when its part is full.
  mutating func insert(_ hash: UInt64, place: UInt32) -> Bool {
    let part = RunLocator.part(of: hash, partCount: partCount)
    guard parts.contains(part) else { return true }
    let buffer = bytes.mutableBytes
    let base = (part - parts.lowerBound) * RunLocator.partByteCount
    var line = RunLocator.line(of: hash)
    for _ in 0..<RunLocator.lineCount {
      let start = base + line * RunLocator.lineByteCount
      let count = Int(buffer[start + RunLocator.countOffset])
      if count < RunLocator.lineCapacity {
        buffer.storeBytes(
          of: RunLocator.fingerprint(of: hash).littleEndian, toByteOffset: start + 2 * count,
          as: UInt16.self)
        buffer.storeBytes(
          of: place.littleEndian, toByteOffset: start + RunLocator.placesOffset + 4 * count,
          as: UInt32.self)
        buffer[start + RunLocator.countOffset] = UInt8(count + 1)
        return true
      }
      buffer[start + RunLocator.fullOffset] = 1
      line = line + 1 == RunLocator.lineCount ? 0 : line + 1
    }
    return false
  }

  /// The finished parts; `start` is the place of the locator's first part.
  consuming func finish(salt: UInt64, start: UInt64) -> ByteWriter {
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
