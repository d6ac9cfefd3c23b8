/// LogStore opened in other ways beside LogStore as its log ships.
struct VariantTable {
  let results: Results

  /// The head and a row for each workload of a variant; nothing without variants.
  var rows: [[String]] {
    guard let (engines, workloads) = results.variants else { return [] }
    let head = ["workload", "unit"] + engines.map(\.rawValue) + ["best peer"]
    return [head] + workloads.map { row($0, engines) }
  }

  private func row(_ workload: String, _ engines: [EngineKind]) -> [String] {
    let summaries = engines.map { results[workload, $0] }
    let unit = summaries.lazy.compactMap { $0 }.first?.unit.rawValue ?? ""
    let peer = results.bestPeer(workload).flatMap { results[workload, $0] }
    let best = peer.map { "\(Figure.short($0.median)) \($0.engine.rawValue)" }
    return [workload, unit] + summaries.map { $0.map { Figure.short($0.median) } ?? "–" } + [
      best ?? "–"
    ]
  }
}
