/// Touches every byte that an engine lends, as an application would: eight at a time.
struct ByteSum {
  private(set) var sum: UInt64 = 0

  @inline(__always)
  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    var offset = 0
    while offset + 8 <= bytes.count {
      sum &+= bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      offset += 8
    }
    while offset < bytes.count {
      sum &+= UInt64(bytes[offset])
      offset += 1
    }
  }
}
