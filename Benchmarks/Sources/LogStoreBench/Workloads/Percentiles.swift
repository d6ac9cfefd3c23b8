import Histogram

/// How long the operations of a workload took: a few points of their distribution.
struct Percentiles: Codable {
  /// A percentile from 0 to 100, and the nanoseconds that so many operations did not exceed.
  struct Point: Codable {
    let percentile: Double
    let nanoseconds: Double
  }

  let points: [Point]

  static let percentiles = [50, 90, 99, 99.9, 99.99, 100]

  init(_ histogram: Histogram<UInt32>) {
    // Denser than what is printed, for the curves of the report.
    let others = [10, 25, 75, 95, 99.5, 99.95, 99.995]
    points = (Self.percentiles + others).sorted().map { percentile in
      Point(
        percentile: percentile,
        nanoseconds: Double(histogram.valueAtPercentile(percentile)))
    }
  }

  subscript(percentile: Double) -> Double? {
    points.first { $0.percentile == percentile }?.nanoseconds
  }
}
