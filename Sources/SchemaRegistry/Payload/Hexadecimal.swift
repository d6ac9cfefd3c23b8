/// Lower-case hexadecimal text.
enum Hexadecimal {
  private static let digits = Array("0123456789abcdef".utf8)

  static func text(_ bytes: some Sequence<UInt8>) -> String {
    var text: [UInt8] = []
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  static func text(_ value: UInt64) -> String {
    text((0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * UInt64($0))) })
  }

  /// The bytes of `text`; nil when it has an odd length or other characters. Accepts capitals.
  static func bytes(_ text: String) -> [UInt8]? {
    var result: [UInt8] = []
    var pending: UInt8?
    for character in text.utf8 {
      guard let digit = digit(character) else { return nil }
      if let high = pending {
        result.append(high << 4 | digit)
        pending = nil
      } else {
        pending = digit
      }
    }
    return pending == nil ? result : nil
  }

  private static func digit(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
