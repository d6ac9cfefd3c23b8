/// Touches every byte that an engine lends, as an application would: eight at a time.
struct ByteSum {
  private(set) var sum: UInt64 = 0

  @inline(__always)
  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    // Not in memory, where one addition would wait for the one before to be stored.
    var total = sum
    var offset = 0
    while offset + 8 <= bytes.count {
      total &+= bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      offset += 8
    }
    while offset < bytes.count {
      total &+= UInt64(bytes[offset])
      offset += 1
    }
    sum = total
  }
}
