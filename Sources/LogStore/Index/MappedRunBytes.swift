internal import FileIO

/// A part of some bytes that stay valid as long as this value: mapped, or read into memory.
struct MappedRunBytes: Sendable {
  private let owner: MappedBytes
  private let start: Int
  let count: Int

  /// - Precondition: `range` lies within the owner's bytes.
  init(_ owner: MappedBytes, _ range: Range<Int>) {
    precondition(range.upperBound <= owner.bytes.count, "a part must lie within its bytes")
    self.owner = owner
    start = range.lowerBound
    count = range.count
  }

  /// The bytes; valid as long as this value or a copy of it.
  var buffer: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: owner.bytes[start..<(start + count)])
  }

  /// A copy of `source` in memory of its own.
  static func copy(of source: UnsafeRawBufferPointer) -> MappedBytes {
    let memory = UnsafeMutableRawBufferPointer.allocate(
      byteCount: max(source.count, 1), alignment: 8)
    memory.copyMemory(from: source)
    let bytes = UnsafeRawBufferPointer(start: memory.baseAddress, count: source.count)
    return MappedBytes(bytes) { $0.deallocate() }
  }
}
