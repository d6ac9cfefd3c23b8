extension ByteWriter {
  /// UTF-8 text preceded by its byte count.
  public mutating func writeString(_ text: String) {
    if !writeShortText(text) { writeAnyString(text) }
  }

  /// The same in the plain way, whatever the text is.
  @inline(never)
  mutating func writeAnyString(_ text: String) {
    let isWritten: Void? = text.utf8.withContiguousStorageIfAvailable {
      writeLengthPrefixedBytes(UnsafeRawBufferPointer($0))
    }
    if isWritten == nil {
      Array(text.utf8).withUnsafeBytes { writeLengthPrefixedBytes($0) }
    }
  }

  /// Writes a text that lies in itself, with two accesses to memory; false, and nothing is written,
  /// for all others.
  @inline(__always)
  private mutating func writeShortText(_ text: String) -> Bool {
    guard InlineText.isKnown, let (word, count) = InlineText.bytes(of: text) else { return false }
    reserve(1 + MemoryLayout<UInt128>.size)
    base.storeBytes(
      of: UInt8(truncatingIfNeeded: count), toByteOffset: written, as: UInt8.self)
    // What lies behind the text is written over by what comes next.
    base.storeBytes(of: word.littleEndian, toByteOffset: written &+ 1, as: UInt128.self)
    written &+= 1 &+ count
    return true
  }
}
