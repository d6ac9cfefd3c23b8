/// Text that a terminal shows and does not obey: names, keys and files of a store may hold
/// anything.
enum VisibleText {
  /// The text with each scalar that moves the cursor, ends the line or turns the direction of
  /// writing as `\u{…}`.
  static func line(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if isControl(scalar) {
        result.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
      } else {
        result.append(scalar)
      }
    }
    return String(result)
  }

  /// The same for a message of several lines. Those after the first are indented, so that none
  /// looks like another message.
  static func message(_ text: String) -> String {
    let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.enumerated().map { place, scalars in
      let text = line(String(String.UnicodeScalarView(scalars)))
      return place == 0 || text.isEmpty || text.hasPrefix("  ") ? text : "  " + text
    }.joined(separator: "\n")
  }

  /// Whether a terminal obeys the scalar, or shows what is beside it in another direction.
  static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0: true
    // Separators of lines and paragraphs, and what turns the direction.
    case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
