extension JSONParser {
  /// Digits, then optionally a fraction and an exponent; without those two it is an integer.
  mutating func parseNumber(_ text: Span<UInt8>) throws(JSONProblem) -> ImportValue {
    let start = offset
    _ = skip(UInt8(ascii: "-"), in: text)
    let leadingZero = offset < text.count && text[offset] == UInt8(ascii: "0")
    let digitCount = skipDigits(text)
    guard digitCount > 0, !(leadingZero && digitCount > 1) else { throw .invalidNumber }
    var isInteger = true
    if skip(UInt8(ascii: "."), in: text) {
      isInteger = false
      guard skipDigits(text) > 0 else { throw .invalidNumber }
    }
    if skip(UInt8(ascii: "e"), in: text) || skip(UInt8(ascii: "E"), in: text) {
      isInteger = false
      if !skip(UInt8(ascii: "+"), in: text) { _ = skip(UInt8(ascii: "-"), in: text) }
      guard skipDigits(text) > 0 else { throw .invalidNumber }
    }
    // Minus zero as an integer would lose its sign.
    let isMinusZero =
      isInteger && offset - start == 2 && leadingZero
      && text[start] == UInt8(ascii: "-")
    if isMinusZero { return .real(-0.0) }
    let word = text.extracting(start..<offset).withUnsafeBufferPointer {
      String(decoding: $0, as: UTF8.self)
    }
    if isInteger {
      guard let integer = Int64(word) else { throw .integerOutOfRange }
      return .integer(integer)
    }
    guard let real = Double(word), real.isFinite else { throw .realOutOfRange }
    return .real(real)
  }

  mutating func skipDigits(_ text: Span<UInt8>) -> Int {
    let start = offset
    while offset < text.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[offset]) {
      offset += 1
    }
    return offset - start
  }
}
