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
    if isMinusZero { return .wholeReal(-0.0, integer: 0) }
    let word = text.extracting(start..<offset).withUnsafeBufferPointer {
      String(decoding: $0, as: UTF8.self)
    }
    if isInteger {
      if let integer = Int64(word) { return .integer(integer) }
      guard roundsIntegers else { throw .integerOutOfRange }
    }
    guard let real = Double(word), real.isFinite else { throw .realOutOfRange }
    // Most reals have a fraction, and are nothing else.
    guard real.rounded() == real, real.magnitude <= 0x1p63, let integer = Self.integer(of: word)
    else { return .real(real) }
    return .wholeReal(real, integer: integer)
  }

  /// The integer that a number with a fraction or an exponent stands for by its digits, of which a
  /// double may have lost some; nothing where it stands for none, or for one beyond 64 bits.
  private static func integer(of number: String) -> Int64? {
    let parts = number.split(whereSeparator: { $0 == "e" || $0 == "E" })
    let mantissa = parts[0].split(separator: ".")
    let fraction = mantissa.count > 1 ? mantissa[1] : ""
    var digits = String(mantissa[0] + fraction)
    if digits.allSatisfy({ $0 == "0" || $0 == "-" }) { return 0 }
    guard let exponent = parts.count > 1 ? Int(parts[1]) : 0 else { return nil }
    // The power of ten of the last digit. One that is beyond 64 bits is that of no integer.
    var (power, isBeyond) = exponent.subtractingReportingOverflow(fraction.count)
    guard !isBeyond else { return nil }
    while power < 0, digits.last == "0" {
      digits.removeLast()
      power += 1
    }
    guard (0...18).contains(power) else { return nil }
    return Int64(digits + String(repeating: "0", count: power))
  }

  mutating func skipDigits(_ text: Span<UInt8>) -> Int {
    let start = offset
    while offset < text.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[offset]) {
      offset += 1
    }
    return offset - start
  }
}
