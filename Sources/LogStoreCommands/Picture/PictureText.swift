/// The few elements that a page is made of.
enum PictureText {
  /// The text for a page, by scalars, as who reads the page goes: what looks like one character
  /// may hide a bracket.
  static func escaped(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result.append(contentsOf: "&amp;".unicodeScalars)
      case "<": result.append(contentsOf: "&lt;".unicodeScalars)
      case ">": result.append(contentsOf: "&gt;".unicodeScalars)
      case "\"": result.append(contentsOf: "&quot;".unicodeScalars)
      case "'": result.append(contentsOf: "&#39;".unicodeScalars)
      default: result.append(scalar)
      }
    }
    return String(result)
  }

  static func open(width: Double, height: Double, label: String) -> String {
    "<svg viewBox=\"0 0 \(number(width)) \(number(height))\" role=\"img\" "
      + "aria-label=\"\(escaped(label))\">\n"
  }

  static func rectangle(
    _ x: Double, _ y: Double, _ width: Double, _ height: Double, _ colour: String
  ) -> String {
    guard height > 0 else { return "" }
    return "<rect x=\"\(number(x))\" y=\"\(number(y))\" width=\"\(number(width))\" "
      + "height=\"\(number(height))\" fill=\"\(colour)\"/>"
  }

  /// A bar with its name and size for each row.
  static func bars(
    _ rows: [(name: String, byteCount: UInt64, colour: String)], width: Double
  ) -> String {
    let rowHeight = 26.0
    let nameWidth = 210.0
    let sizeWidth = 90.0
    let largest = Double(max(1, rows.map(\.byteCount).max() ?? 1))
    var text = open(
      width: width, height: rowHeight * Double(rows.count), label: "Space by type")
    for (index, row) in rows.enumerated() {
      let y = rowHeight * Double(index)
      let length = Double(row.byteCount) / largest * (width - nameWidth - sizeWidth)
      text += label(0, y + 18, row.name)
      text += rectangle(nameWidth, y + 4, max(1, length), rowHeight - 8, row.colour)
      text += label(nameWidth + length + 8, y + 18, "\(ByteCount(row.byteCount))")
    }
    return text + "</svg>"
  }

  private static func label(_ x: Double, _ y: Double, _ text: String) -> String {
    "<text x=\"\(number(x))\" y=\"\(number(y))\" font-size=\"14\" fill=\"#1f2937\">"
      + "\(escaped(text))</text>"
  }

  static func table(_ titles: [String], _ rows: [[String]]) -> String {
    func row(_ cells: [String], _ tag: String) -> String {
      "<tr>" + cells.map { "<\(tag)>\(escaped($0))</\(tag)>" }.joined() + "</tr>\n"
    }
    return "<table>\n" + row(titles, "th") + rows.map { row($0, "td") }.joined() + "</table>"
  }

  /// Tenths are enough, and the same on every machine.
  private static func number(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(abs(tenths % 10))"
  }
}
