/// Bytes as text after RFC 4648, section 4, with padding.
enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func encode(_ bytes: some Collection<UInt8>) -> String {
    var result: [UInt8] = []
    result.reserveCapacity((bytes.count + 2) / 3 * 4)
    // Up to three bytes, as 24 bits with zeros behind them.
    var group: UInt32 = 0
    var groupByteCount = 0
    func append() {
      for position in 0..<4 {
        let index = Int(group >> (18 - 6 * UInt32(position)) & 63)
        result.append(position <= groupByteCount ? alphabet[index] : UInt8(ascii: "="))
      }
      group = 0
      groupByteCount = 0
    }
    for byte in bytes {
      group |= UInt32(byte) << (16 - 8 * UInt32(groupByteCount))
      groupByteCount += 1
      if groupByteCount == 3 { append() }
    }
    if groupByteCount > 0 { append() }
    return String(decoding: result, as: UTF8.self)
  }

  /// The bytes that `text` stands for, or nothing when it is not base64 with padding.
  static func decode(_ text: String) -> [UInt8]? {
    let bytes = Array(text.utf8)
    guard bytes.count % 4 == 0 else { return nil }
    let padding = bytes.suffix(2).count { $0 == UInt8(ascii: "=") }
    let digits = bytes.dropLast(padding)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count / 4 * 3)
    var group: UInt32 = 0
    var bitCount: UInt32 = 0
    for digit in digits {
      guard let value = value(of: digit) else { return nil }
      group = group << 6 | value
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        result.append(UInt8(truncatingIfNeeded: group >> bitCount))
      }
    }
    // Bits behind the last byte must be zero, or two texts would stand for the same bytes.
    return group & ((1 << bitCount) - 1) == 0 ? result : nil
  }

  private static func value(of digit: UInt8) -> UInt32? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
