/// Builds one JSON text byte by byte; the caller keeps brackets and commas in order.
struct JSONWriter {
  /// The text so far.
  private(set) var bytes: [UInt8] = []

  /// The text so far as a string.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
  }

  /// Adds text that is known to be JSON, such as a bracket or a number.
  mutating func append(raw text: String) {
    bytes.append(contentsOf: text.utf8)
  }

  mutating func append(raw byte: Unicode.Scalar) {
    bytes.append(UInt8(ascii: byte))
  }

  mutating func append(_ value: Bool) {
    append(raw: value ? "true" : "false")
  }

  mutating func append(_ value: Int64) {
    append(raw: "\(value)")
  }

  /// The shortest digits that read back as the same double; JSON has no infinities and NaN, so
  /// these become the texts "Infinity", "-Infinity" and "NaN".
  mutating func append(_ value: Double) {
    if value.isFinite {
      append(raw: value.description)
    } else if value.isNaN {
      append("NaN")
    } else {
      append(value < 0 ? "-Infinity" : "Infinity")
    }
  }

  /// Adds quoted text, escaping only what RFC 8259 demands: quote, backslash, control characters.
  mutating func append(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""): append(raw: "\\\"")
      case UInt8(ascii: "\\"): append(raw: "\\\\")
      case 0x08: append(raw: "\\b")
      case 0x0C: append(raw: "\\f")
      case UInt8(ascii: "\n"): append(raw: "\\n")
      case UInt8(ascii: "\r"): append(raw: "\\r")
      case UInt8(ascii: "\t"): append(raw: "\\t")
      case 0..<0x20:
        let digits = Array("0123456789abcdef".utf8)
        append(raw: "\\u00")
        bytes.append(digits[Int(byte >> 4)])
        bytes.append(digits[Int(byte & 15)])
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
