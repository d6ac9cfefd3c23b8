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
}
