import Foundation

/// Curves of several engines on two logarithmic axes; what is zero lies on the lower edge.
struct LineChart {
  /// One engine's curve.
  struct Series {
    let engine: EngineKind
    let points: [(x: Double, y: Double)]
  }

  let title: String
  let series: [Series]
  /// Where the horizontal axis is marked, and with which words.
  let marks: [(x: Double, label: String)]
  /// What a value of the vertical axis is called.
  let name: (Double) -> String

  private static let width = 560.0
  private static let height = 300.0
  private static let left = 64.0
  private static let right = 150.0
  private static let top = 28.0
  private static let bottom = 30.0
  private static let labelHeight = 14.0

  var svg: String {
    let values = series.flatMap { $0.points.map(\.y) }.filter { $0 > 0 }
    guard let lowest = values.min(), let highest = values.max(), let first = marks.first?.x,
      let last = marks.last?.x, first < last
    else { return "" }
    let lowestPower = log10(lowest).rounded(.down)
    let highestPower = max(log10(highest).rounded(.up), lowestPower + 1)
    let plotWidth = Self.width - Self.left - Self.right
    let plotHeight = Self.height - Self.top - Self.bottom
    func x(_ value: Double) -> Double {
      Self.left + (log10(value) - log10(first)) / (log10(last) - log10(first)) * plotWidth
    }
    func y(_ power: Double) -> Double {
      Self.top + (highestPower - power) / (highestPower - lowestPower) * plotHeight
    }
    var text = SVG.open(width: Self.width, height: Self.height, label: title)
    text += SVG.text(0, 14, title, weight: "600")
    for power in stride(from: lowestPower, through: highestPower, by: 1) {
      text += SVG.line(
        Self.left, y(power), Self.left + plotWidth, y(power), stroke: "#e5e7eb")
      text += SVG.text(Self.left - 6, y(power) + 4, name(pow(10, power)), anchor: "end")
    }
    for mark in marks {
      text += SVG.line(
        x(mark.x), Self.top, x(mark.x), Self.top + plotHeight, stroke: "#f3f4f6")
      text += SVG.text(x(mark.x), Self.height - 10, mark.label, anchor: "middle")
    }
    func place(_ value: Double) -> Double { y(value > 0 ? log10(value) : lowestPower) }
    for curve in series {
      let points = curve.points.map { (x: x($0.x), y: place($0.y)) }
      text += SVG.curve(
        points, stroke: Palette.colour(curve.engine), width: curve.engine.isOurs ? 2.5 : 1.5)
    }
    return text + labels(place) + "</svg>\n"
  }

  /// Names beside the ends of the curves, pushed apart so that none covers another.
  private func labels(_ place: (Double) -> Double) -> String {
    var ends = series.compactMap { curve in
      curve.points.last.map { (engine: curve.engine, y: place($0.y) + 4) }
    }
    ends.sort { $0.y < $1.y }
    var lowest = -Double.infinity
    for index in ends.indices {
      ends[index].y = max(ends[index].y, lowest + Self.labelHeight)
      lowest = ends[index].y
    }
    var highest = Self.height - 4
    for index in ends.indices.reversed() {
      ends[index].y = min(ends[index].y, highest)
      highest = ends[index].y - Self.labelHeight
    }
    return ends.map { end in
      SVG.text(
        Self.width - Self.right + 8, end.y, end.engine.rawValue,
        weight: end.engine.isOurs ? "600" : "400", fill: Palette.colour(end.engine))
    }.joined()
  }
}
