import Foundation

/// A run as one page that needs nothing else: description, table, plots.
struct HTMLReport {
  let run: RunFile

  var html: String {
    let results = run.results
    let tables = results.groups.map { table($0.engines, $0.workloads, results) }
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>LogStore and its peers</title>
      <style>\(Self.style)</style>
      </head>
      <body>
      <h1>LogStore and its peers</h1>
      <ul>\(run.description.lines.map { "<li>\(SVG.escaped($0))</li>" }.joined())</ul>
      <p>Medians of interleaved repetitions, every engine in a process of its own, after each phase
      20,000 records compared byte for byte. The ratio is LogStore against the best peer: above 1 is
      better. Black lines in the bars span the slowest and the fastest repetition.</p>
      <h2>All workloads</h2>
      \(tables.joined(separator: "\n"))
      \(section("LogStore otherwise", VariantTable(results: results).rows))
      \(section("Targets", TargetTable(results: results).rows))
      <h2>Workloads one by one</h2>
      <div class="plots">
      \(bars(results))</div>
      \(section("Time of single operations", latencies(results)))
      \(section("Against the number of records", ScalingPlots(run: run).all.map(\.svg).joined()))
      </body>
      </html>

      """
  }

  private static let style = """
    body { font: 15px/1.5 system-ui, sans-serif; color: #111827; background: #fff;
      max-width: 1180px; margin: 2rem auto; padding: 0 1rem }
    h1 { font-size: 1.7rem } h2 { font-size: 1.2rem; margin-top: 2.5rem }
    ul { color: #4b5563; padding-left: 1.1rem }
    table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 13px;
      margin: 1rem 0; display: block; overflow-x: auto }
    th, td { padding: 3px 10px; text-align: right; border-bottom: 1px solid #e5e7eb;
      white-space: nowrap }
    th:first-child, td:first-child, td:last-child, th:last-child { text-align: left }
    .best { font-weight: 700 } .ours { background: #fff7ed }
    .good { color: #15803d } .bad { color: #b91c1c }
    .plots { display: flex; flex-wrap: wrap; gap: 1.5rem }
    svg { font: 12px system-ui, sans-serif; max-width: 100%; height: auto }
    """

  private func section(_ title: String, _ plots: String) -> String {
    plots.isEmpty ? "" : "<h2>\(title)</h2>\n<div class=\"plots\">\n\(plots)</div>"
  }

  private func section(_ title: String, _ rows: [[String]]) -> String {
    guard let head = rows.first else { return "" }
    let body = rows.dropFirst().map { row in
      let cells = row.map { cell in
        let colour = cell == "✓" ? " class=\"good\"" : cell == "✗" ? " class=\"bad\"" : ""
        return "<td\(colour)>\(SVG.escaped(cell))</td>"
      }
      return "<tr>\(cells.joined())</tr>"
    }
    return """
      <h2>\(title)</h2>
      <table><thead><tr>\(head.map { "<th>\($0)</th>" }.joined())</tr></thead>
      <tbody>\(body.joined(separator: "\n"))</tbody></table>
      """
  }

  private func table(_ engines: [EngineKind], _ workloads: [String], _ results: Results) -> String {
    let head = ["workload", "unit"] + engines.map(\.rawValue) + ["best peer", "ratio"]
    let rows = workloads.map { workload in
      row(workload, engines, results).joined()
    }
    return """
      <table><thead><tr>\(head.map { "<th>\($0)</th>" }.joined())</tr></thead>
      <tbody>\(rows.map { "<tr>\($0)</tr>" }.joined(separator: "\n"))</tbody></table>
      """
  }

  private func row(_ workload: String, _ engines: [EngineKind], _ results: Results) -> [String] {
    let summaries = engines.map { results[workload, $0] }
    let medians = summaries.compactMap { $0?.median }
    let unit = summaries.lazy.compactMap { $0 }.first?.unit
    let best = unit?.isHigherBetter == true ? medians.max() : medians.min()
    let cells = zip(engines, summaries).map { engine, summary in
      let classes = [engine.isOurs ? "ours" : "", summary?.median == best ? "best" : ""]
      let value = summary.map { Figure.short($0.median) } ?? "–"
      return "<td class=\"\(classes.joined(separator: " "))\">\(value)</td>"
    }
    let peer = results.bestPeer(workload)
    let ratio = peer.flatMap { results.ratio(workload, to: $0) }
    let ratioCell = ratio.map {
      "<td class=\"\($0 >= 1 ? "good" : "bad")\">\(Figure.short($0))×</td>"
    }
    return ["<td>\(workload)</td>", "<td>\(unit?.rawValue ?? "")</td>"] + cells + [
      "<td>\(peer?.rawValue ?? "–")</td>", ratioCell ?? "<td>–</td>",
    ]
  }

  private func bars(_ results: Results) -> String {
    results.workloads.map { workload in
      BarChart(
        title: workload, summaries: results.engines.compactMap { results[workload, $0] }
      ).svg
    }.joined()
  }

  private func latencies(_ results: Results) -> String {
    results.workloads.map { workload -> String in
      let series = results.engines.compactMap { engine -> LineChart.Series? in
        guard let percentiles = results[workload, engine]?.percentiles else { return nil }
        let points = percentiles.points.filter { $0.percentile < 100 }
        return LineChart.Series(
          engine: engine,
          points: points.map { (x: 100 / (100 - $0.percentile), y: $0.nanoseconds) })
      }
      guard !series.isEmpty else { return "" }
      let marks = [50, 90, 99, 99.9, 99.99].map { percentile in
        (x: 100 / (100 - percentile), label: "p\(Figure.exact(percentile))")
      }
      return LineChart(
        title: workload, series: series, marks: [(x: 1.1, label: "")] + marks,
        name: Figure.time(nanoseconds:)
      ).svg
    }.joined()
  }
}
