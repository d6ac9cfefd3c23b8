/// One workload: a bar for each engine, from zero, with the spread of the repetitions.
struct BarChart {
  let title: String
  let summaries: [Summary]

  private static let width = 420.0
  private static let labelWidth = 118.0
  private static let barWidth = 210.0
  private static let rowHeight = 22.0

  var svg: String {
    let highest = summaries.compactMap(\.values.last).max() ?? 1
    let scale = highest > 0 ? Self.barWidth / highest : 0
    let height = Self.rowHeight * Double(summaries.count) + 30
    var text = SVG.open(width: Self.width, height: height, label: title)
    let unit = summaries.first?.unit.rawValue ?? ""
    text += SVG.text(0, 14, "\(title) (\(unit))", weight: "600")
    for (index, summary) in summaries.enumerated() {
      let top = 24 + Double(index) * Self.rowHeight
      let length = max(summary.median * scale, 1)
      text += SVG.text(Self.labelWidth - 6, top + 14, summary.engine.rawValue, anchor: "end")
      text += SVG.rectangle(
        x: Self.labelWidth, y: top + 3, width: length, height: 14,
        fill: Palette.colour(summary.engine))
      if let lowest = summary.values.first, let highest = summary.values.last, lowest < highest {
        text += SVG.line(
          Self.labelWidth + lowest * scale, top + 10, Self.labelWidth + highest * scale, top + 10,
          stroke: "#111827")
      }
      let end = Self.labelWidth + max(length, (summary.values.last ?? 0) * scale)
      text += SVG.text(end + 6, top + 14, Figure.short(summary.median))
    }
    return text + "</svg>\n"
  }
}
