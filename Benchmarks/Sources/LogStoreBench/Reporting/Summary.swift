/// The repetitions of one workload of one engine.
struct Summary {
  let engine: EngineKind
  let workload: String
  let unit: Measurement.Unit
  let values: [Double]
  let cpuNanoseconds: Double?
  /// Of the first repetition.
  let percentiles: Percentiles?

  /// Nothing without measurements.
  init?(_ measurements: [Measurement]) {
    guard let first = measurements.first else { return nil }
    engine = first.engine
    workload = first.workload
    unit = first.unit
    percentiles = first.percentiles
    values = measurements.map(\.value).sorted()
    let times = measurements.compactMap(\.cpuNanoseconds)
    cpuNanoseconds = times.isEmpty ? nil : times.median
  }

  var median: Double { values.median }

  /// The distance of the extremes in hundredths of the median.
  var spreadPercentage: Double {
    guard let lowest = values.first, let highest = values.last, median > 0 else { return 0 }
    return (highest - lowest) / median * 100
  }
}
