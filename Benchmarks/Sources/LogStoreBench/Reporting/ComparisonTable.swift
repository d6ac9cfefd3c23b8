/// The results as tables: what each engine achieved, and how steady and how dear it was.
struct ComparisonTable {
  let results: Results

  var text: String {
    var parts = results.groups.map { text($0.engines, $0.workloads) }
    if let (engines, workloads) = results.variants {
      let costs = workloads.compactMap { costRow($0, engines) }
      let names = ["workload", "unit"] + engines.map(\.rawValue)
      parts.append(
        """
        LogStore with nothing compressed (raw) and as a store that compacts itself (store).

        \(TextTable.text(VariantTable(results: results).rows))

        \(TextTable.text([names] + costs.map { [String]($0.prefix(names.count)) }))
        """)
    }
    let targets = TargetTable(results: results).rows
    if !targets.isEmpty { parts.append("Targets.\n\n" + TextTable.text(targets)) }
    return parts.joined(separator: "\n\n")
  }

  private func text(_ engines: [EngineKind], _ workloads: [String]) -> String {
    let names = ["workload", "unit"] + engines.map(\.rawValue)
    let rows = workloads.map { row($0, engines) }
    let costs = workloads.compactMap { costRow($0, engines) }
    let latencies = workloads.flatMap { latencyRows($0, engines) }
    var text = """
      \(TextTable.text([names + ["best peer", "ratio"]] + rows))

      Medians; ratio: LogStore against the best peer, above 1 is better. Below: processor time for
      one operation, and the distance between the slowest and fastest repetition.

      \(TextTable.text([names + ["best peer", "ratio"]] + costs))
      """
    if !latencies.isEmpty {
      text += "\n\nTime of single operations.\n\n"
      text += TextTable.text([["workload", "percentile"] + engines.map(\.rawValue)] + latencies)
    }
    return text
  }

  private func row(_ workload: String, _ engines: [EngineKind]) -> [String] {
    let values = engines.map { engine in
      results[workload, engine].map { Figure.short($0.median) } ?? "–"
    }
    let peer = results.bestPeer(workload)
    let ratio = peer.flatMap { results.ratio(workload, to: $0) }
    return [workload, unit(workload)] + values + [
      peer?.rawValue ?? "–", ratio.map { Figure.short($0) + "×" } ?? "–",
    ]
  }

  private func costRow(_ workload: String, _ engines: [EngineKind]) -> [String]? {
    let cells = engines.map { engine in
      guard let summary = results[workload, engine], let cpu = summary.cpuNanoseconds else {
        return "–"
      }
      let spread = "\(Int(summary.spreadPercentage.rounded())) %"
      return "\(Figure.time(nanoseconds: cpu)), \(spread)"
    }
    guard cells.contains(where: { $0 != "–" }) else { return nil }
    let peer = engines.filter { !$0.isOurs && results[workload, $0]?.cpuNanoseconds != nil }
      .min { cost(workload, $0) < cost(workload, $1) }
    let own = engines.first(where: \.isOurs).map { cost(workload, $0) } ?? .infinity
    let ratio = peer.map { cost(workload, $0) / own }
    return [workload, unit(workload)] + cells + [
      peer?.rawValue ?? "–", ratio.map { Figure.short($0) + "×" } ?? "–",
    ]
  }

  private func cost(_ workload: String, _ engine: EngineKind) -> Double {
    results[workload, engine]?.cpuNanoseconds ?? .infinity
  }

  private func latencyRows(_ workload: String, _ engines: [EngineKind]) -> [[String]] {
    guard engines.contains(where: { results[workload, $0]?.percentiles != nil }) else { return [] }
    return Percentiles.percentiles.map { percentile in
      let cells = engines.map { engine in
        let point = results[workload, engine]?.percentiles?[percentile]
        return point.map { Figure.time(nanoseconds: $0) } ?? "–"
      }
      let name = percentile == 100 ? "highest" : "p\(Figure.exact(percentile))"
      return [workload, name] + cells
    }
  }

  private func unit(_ workload: String) -> String {
    results.engines.lazy.compactMap { results[workload, $0] }.first?.unit.rawValue ?? ""
  }
}
