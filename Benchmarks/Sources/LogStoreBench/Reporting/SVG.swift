import Foundation

/// The few elements that the plots are made of.
enum SVG {
  static func open(width: Double, height: Double, label: String) -> String {
    """
    <svg viewBox="0 0 \(number(width)) \(number(height))" width="\(number(width))" \
    height="\(number(height))" role="img" aria-label="\(escaped(label))">

    """
  }

  /// A picture as a file of its own, on white.
  static func document(_ picture: String) -> String {
    let attributes = #"xmlns="http://www.w3.org/2000/svg" style="background:#fff""#
    let font = #"font-family="sans-serif" font-size="12""#
    return picture.replacing("<svg ", with: "<svg \(attributes) \(font) ", maxReplacements: 1)
  }

  static func text(
    _ x: Double, _ y: Double, _ content: String, anchor: String = "start", weight: String = "400",
    fill: String = "#111827"
  ) -> String {
    """
    <text x="\(number(x))" y="\(number(y))" text-anchor="\(anchor)" font-weight="\(weight)" \
    fill="\(fill)">\(escaped(content))</text>

    """
  }

  static func rectangle(
    x: Double, y: Double, width: Double, height: Double, fill: String
  ) -> String {
    """
    <rect x="\(number(x))" y="\(number(y))" width="\(number(width))" height="\(number(height))" \
    rx="2" fill="\(fill)"/>

    """
  }

  static func line(
    _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, stroke: String
  ) -> String {
    """
    <line x1="\(number(x1))" y1="\(number(y1))" x2="\(number(x2))" y2="\(number(y2))" \
    stroke="\(stroke)"/>

    """
  }

  static func curve(_ points: [(x: Double, y: Double)], stroke: String, width: Double) -> String {
    let places = points.map { "\(number($0.x)),\(number($0.y))" }.joined(separator: " ")
    return """
      <polyline points="\(places)" fill="none" stroke="\(stroke)" stroke-width="\(number(width))"/>

      """
  }

  static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;")
  }

  private static func number(_ value: Double) -> String {
    value == value.rounded() ? "\(Int(value))" : String(format: "%.1f", value)
  }
}
