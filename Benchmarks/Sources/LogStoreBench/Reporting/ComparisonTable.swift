/// The results as tables: what each engine achieved, and how steady and how dear it was.
struct ComparisonTable {
  let results: Results

  var text: String {
    """
    \(TextTable.text([head(["best peer", "ratio", "target"])] + results.workloads.map(row)))

    Medians; ratio: LogStore against the best peer, above 1 is better. Below: processor time for
    one operation, and the distance between the slowest and fastest repetition.

    \(TextTable.text([head([])] + results.workloads.compactMap(costRow)))
    """
  }

  private func head(_ last: [String]) -> [String] {
    ["workload", "unit"] + results.engines.map(\.rawValue) + last
  }

  private func row(_ workload: String) -> [String] {
    let values = results.engines.map { engine in
      results[workload, engine].map { Figure.short($0.median) } ?? "–"
    }
    let peer = results.bestPeer(workload)
    let ratio = peer.flatMap { results.ratio(workload, to: $0) }
    let targets = (Target.all[workload] ?? []).compactMap { $0.verdict(workload, in: results) }
    return [workload, unit(workload)] + values + [
      peer?.rawValue ?? "–", ratio.map { Figure.short($0) + "×" } ?? "–",
      targets.joined(separator: ", "),
    ]
  }

  private func costRow(_ workload: String) -> [String]? {
    let cells = results.engines.map { engine in
      guard let summary = results[workload, engine], let cpu = summary.cpuNanoseconds else {
        return "–"
      }
      let spread = "\(Int(summary.spreadPercentage.rounded())) %"
      return "\(Figure.time(nanoseconds: cpu)), \(spread)"
    }
    guard cells.contains(where: { $0 != "–" }) else { return nil }
    return [workload, unit(workload)] + cells
  }

  private func unit(_ workload: String) -> String {
    results.engines.lazy.compactMap { results[workload, $0] }.first?.unit.rawValue ?? ""
  }
}
