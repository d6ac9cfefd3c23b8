/// Builds one JSON text byte by byte; the caller keeps brackets and commas in order.
struct JSONWriter {
  /// Whether people read it on a terminal: then characters that it would obey are escaped, too,
  /// which stand for the same values. All of them have four digits.
  let isForTerminal: Bool
  /// The text so far.
  private(set) var bytes: [UInt8] = []

  init(isForTerminal: Bool = false) {
    self.isForTerminal = isForTerminal
  }

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

  /// Adds quoted text, escaping what RFC 8259 demands: quote, backslash, control characters below
  /// the space; for a terminal also what else it would obey.
  mutating func append(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    if isForTerminal, text.unicodeScalars.contains(where: VisibleText.isControl) {
      for scalar in text.unicodeScalars {
        if scalar.value >= 0x7F, VisibleText.isControl(scalar) {
          appendEscaped(UInt16(truncatingIfNeeded: scalar.value))
        } else {
          for byte in String(scalar).utf8 { append(byte) }
        }
      }
    } else {
      for byte in text.utf8 { append(byte) }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Adds one byte of quoted text.
  private mutating func append(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): append(raw: "\\\"")
    case UInt8(ascii: "\\"): append(raw: "\\\\")
    case 0x08: append(raw: "\\b")
    case 0x0C: append(raw: "\\f")
    case UInt8(ascii: "\n"): append(raw: "\\n")
    case UInt8(ascii: "\r"): append(raw: "\\r")
    case UInt8(ascii: "\t"): append(raw: "\\t")
    case 0..<0x20: appendEscaped(UInt16(byte))
    default: bytes.append(byte)
    }
  }

  private mutating func appendEscaped(_ unit: UInt16) {
    let digits = Array("0123456789abcdef".utf8)
    append(raw: "\\u")
    for shift in [12, 8, 4, 0] { bytes.append(digits[Int(unit >> UInt16(shift) & 15)]) }
  }
}
