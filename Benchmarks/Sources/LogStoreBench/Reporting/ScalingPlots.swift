/// What was measured against the number of records, a plot for each workload; none for a run of one
/// size.
struct ScalingPlots {
  let run: RunFile

  private static let workloads = [
    "open", "memory.reading", "readrandom", "readmissing", "snapshot", "fillbatch.sync", "scanall",
    "overwrite2x", "compact", "space.compacted", "migration1.first", "migration1.all",
    "migration1.memory",
  ]

  /// The plots with the names of their workloads.
  var all: [(workload: String, svg: String)] {
    let counts = Set(run.measurements.map(\.recordCount)).sorted()
    guard counts.count > 1 else { return [] }
    let grouped = Dictionary(grouping: run.measurements, by: \.workload)
    return Self.workloads.compactMap { workload in
      guard let measurements = grouped[workload] else { return nil }
      let series = run.description.engines.map { engine in
        let points = counts.compactMap { count -> (x: Double, y: Double)? in
          Summary(measurements.filter { $0.engine == engine && $0.recordCount == count })
            .map { (x: Double(count), y: $0.median) }
        }
        return LineChart.Series(engine: engine, points: points)
      }
      let unit = measurements.first?.unit.rawValue ?? ""
      let chart = LineChart(
        title: "\(workload) (\(unit))", series: series.filter { $0.points.count > 1 },
        marks: counts.map { (x: Double($0), label: Figure.short(Double($0))) },
        name: Figure.short)
      return chart.svg.isEmpty ? nil : (workload, chart.svg)
    }
  }
}
