extension ByteReader {
  /// UTF-8 text preceded by its byte count; costs one allocation above 15 bytes.
  public mutating func readString() throws(BinaryDecodingError) -> String {
    if let text = readShortText() { return text }
    return try readAnyString()
  }

  /// The same, in place of what `text` is: where that lies in itself, nothing needs to be let go.
  public mutating func readString(into text: inout String) throws(BinaryDecodingError) {
    guard let short = readShortText() else {
      InlineText.replace(&text, with: try readAnyString())
      return
    }
    InlineText.replace(&text, with: short)
  }

  /// The same in the plain way, whatever the text is.
  @inline(never)
  mutating func readAnyString() throws(BinaryDecodingError) -> String {
    let start = offset
    guard let text = String(utf8: try readLengthPrefixedBytes()) else {
      throw .invalidUTF8(offset: start)
    }
    return text
  }

  /// The text where it is of few bytes, all ASCII, and can be had with one access to memory;
  /// nothing, and nothing is read, where it is not.
  @inline(__always)
  private mutating func readShortText() -> String? {
    let available = remainingByteCount &- 1
    guard available >= 0, InlineText.isKnown else { return nil }
    let count = Int(bytes[position])
    guard count <= InlineText.byteCountMaximum, count <= available else { return nil }
    let start = position &+ 1
    let size = MemoryLayout<UInt128>.size
    let word: UInt128
    if available >= size {
      // What follows the text is masked out.
      let following = bytes.loadUnaligned(fromByteOffset: start, as: UInt128.self)
      word = UInt128(littleEndian: following) & (1 &<< UInt128(8 &* count) &- 1)
    } else if start &+ count >= size, count > 0 {
      // Near the end of the bytes: what precedes it is shifted out.
      let preceding = bytes.loadUnaligned(
        fromByteOffset: start &+ count &- size, as: UInt128.self)
      word = UInt128(littleEndian: preceding) &>> UInt128(8 &* (size &- count))
    } else {
      return nil
    }
    guard let text = InlineText.text(word, count: count) else { return nil }
    position = start &+ count
    return text
  }
}
