import Foundation
import PolicySimulation

/// Write amplification over the dead part that is allowed, a small plot for each workload.
struct PolicyPlot {
  private let comparison: PolicyComparison

  private static let plotWidth = 300.0
  private static let plotHeight = 180.0
  private static let left = 48.0
  private static let top = 44.0
  private static let gap = 56.0

  init(_ comparison: PolicyComparison) { self.comparison = comparison }

  var svg: String {
    let width = 2 * (Self.left + Self.plotWidth) + 16
    let height = 2 * (Self.plotHeight + Self.gap) + Self.top + 16
    var text = SVG.open(
      width: width, height: height, label: "Write amplification of compaction policies"
    ).replacing(
      "<svg ",
      with: #"<svg xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" font-size="12" "#)
    text += SVG.rectangle(x: 0, y: 0, width: width, height: height, fill: "#ffffff")
    var x = 8.0
    for contender in PolicyComparison.contenders {
      text += SVG.line(x, 16, x + 18, 16, stroke: contender.colour)
      text += SVG.text(x + 24, 20, contender.name, weight: "600", fill: contender.colour)
      x += 40 + 7.5 * Double(contender.name.count)
    }
    for (index, workload) in PolicyWorkload.allCases.enumerated() {
      text += plot(
        workload, x: Self.left + Double(index % 2) * (Self.plotWidth + Self.left),
        y: Self.top + 12 + Double(index / 2) * (Self.plotHeight + Self.gap))
    }
    return text + "</svg>\n"
  }

  private func plot(_ workload: PolicyWorkload, x: Double, y: Double) -> String {
    let highest =
      comparison.points.filter { $0.workload == workload }
      .map(\.outcome.writeAmplification).max() ?? 1
    let top = max(2, highest.rounded(.up))
    let deadFractions = PolicyComparison.deadFractions
    let first = deadFractions[0]
    let last = deadFractions[deadFractions.count - 1]
    func place(_ deadFraction: Double, _ value: Double) -> (x: Double, y: Double) {
      (
        x + (deadFraction - first) / (last - first) * (Self.plotWidth - 16),
        y + (1 - value / top) * Self.plotHeight
      )
    }
    var text = SVG.text(x, y - 8, workload.rawValue, weight: "600")
    for mark in stride(from: 0, through: top, by: max(1, (top / 4).rounded())) {
      let line = place(first, mark)
      text += SVG.line(x, line.y, x + Self.plotWidth - 16, line.y, stroke: "#e5e7eb")
      text += SVG.text(x - 6, line.y + 4, "\(Int(mark))", anchor: "end")
    }
    for deadFraction in deadFractions {
      let label = "\(Int((deadFraction * 100).rounded())) % dead"
      text += SVG.text(
        place(deadFraction, 0).x, y + Self.plotHeight + 16, label,
        anchor: deadFraction == last ? "end" : deadFraction == first ? "start" : "middle")
    }
    for (index, contender) in PolicyComparison.contenders.enumerated() {
      let points = deadFractions.compactMap { deadFraction in
        comparison.outcome(index, workload, deadFraction)
          .map { place(deadFraction, $0.writeAmplification) }
      }
      text += SVG.curve(points, stroke: contender.colour, width: index == 0 ? 2.5 : 1.5)
    }
    return text
  }
}
