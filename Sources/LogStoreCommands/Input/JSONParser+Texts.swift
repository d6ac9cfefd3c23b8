extension JSONParser {
  mutating func parseText(_ text: Span<UInt8>) throws(JSONProblem) -> String {
    offset += 1
    let start = offset
    while offset < text.count {
      let byte = text[offset]
      if byte == UInt8(ascii: "\"") {
        let plain = text.extracting(start..<offset).withUnsafeBufferPointer {
          String(validating: $0, as: UTF8.self)
        }
        guard let plain else { throw .invalidUTF8 }
        offset += 1
        return plain
      }
      if byte == UInt8(ascii: "\\") { return try parseEscapedText(text, start: start) }
      guard byte >= 0x20 else { throw .controlCharacter }
      offset += 1
    }
    throw .unexpectedEnd
  }

  /// Continues a text at its first backslash, collecting the decoded bytes.
  mutating func parseEscapedText(
    _ text: Span<UInt8>, start: Int
  ) throws(JSONProblem) -> String {
    decoded.removeAll(keepingCapacity: true)
    for index in start..<offset { decoded.append(text[index]) }
    while offset < text.count {
      let byte = text[offset]
      switch byte {
      case UInt8(ascii: "\""):
        guard let result = String(validating: decoded, as: UTF8.self) else { throw .invalidUTF8 }
        offset += 1
        return result
      case UInt8(ascii: "\\"):
        try decodeEscape(text)
      case 0..<0x20:
        throw .controlCharacter
      default:
        decoded.append(byte)
        offset += 1
      }
    }
    throw .unexpectedEnd
  }

  mutating func decodeEscape(_ text: Span<UInt8>) throws(JSONProblem) {
    guard offset + 1 < text.count else {
      offset = text.count
      throw .unexpectedEnd
    }
    let plain: UInt8? =
      switch text[offset + 1] {
      case UInt8(ascii: "\""): UInt8(ascii: "\"")
      case UInt8(ascii: "\\"): UInt8(ascii: "\\")
      case UInt8(ascii: "/"): UInt8(ascii: "/")
      case UInt8(ascii: "b"): 0x08
      case UInt8(ascii: "f"): 0x0C
      case UInt8(ascii: "n"): UInt8(ascii: "\n")
      case UInt8(ascii: "r"): UInt8(ascii: "\r")
      case UInt8(ascii: "t"): UInt8(ascii: "\t")
      default: nil
      }
    if let plain {
      decoded.append(plain)
      offset += 2
      return
    }
    guard text[offset + 1] == UInt8(ascii: "u") else { throw .invalidEscape }
    let scalar = try decodeUnicodeEscape(text)
    decoded.append(contentsOf: UTF8.encode(scalar).map(Array.init) ?? [])
  }

  /// `\uXXXX`, or two of them that form a surrogate pair.
  mutating func decodeUnicodeEscape(
    _ text: Span<UInt8>
  ) throws(JSONProblem) -> Unicode.Scalar {
    let first = try hexadecimalUnit(text, at: offset + 2)
    if let scalar = Unicode.Scalar(first) {
      offset += 6
      return scalar
    }
    let isPair =
      first < 0xDC00 && offset + 7 < text.count
      && text[offset + 6] == UInt8(ascii: "\\") && text[offset + 7] == UInt8(ascii: "u")
    guard isPair else { throw .unpairedSurrogate }
    let second = try hexadecimalUnit(text, at: offset + 8)
    guard (0xDC00...0xDFFF).contains(second) else { throw .unpairedSurrogate }
    let combined = 0x10000 + (UInt32(first - 0xD800) << 10) + UInt32(second - 0xDC00)
    guard let scalar = Unicode.Scalar(combined) else { throw .unpairedSurrogate }
    offset += 12
    return scalar
  }

  func hexadecimalUnit(_ text: Span<UInt8>, at start: Int) throws(JSONProblem) -> UInt16 {
    guard start + 4 <= text.count else { throw .unexpectedEnd }
    var unit: UInt16 = 0
    for index in start..<start + 4 {
      let digit: UInt8 =
        switch text[index] {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): text[index] - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): text[index] - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): text[index] - UInt8(ascii: "A") + 10
        default: throw .invalidEscape
        }
      unit = unit << 4 | UInt16(digit)
    }
    return unit
  }
}
