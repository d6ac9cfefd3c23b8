/// One workload's result: operations and the time of each repetition.
struct Measurement {
  let name: String
  let operationCount: Int
  let seconds: [Double]

  var median: Double { seconds.sorted()[seconds.count / 2] }

  var line: String {
    let rate = Double(operationCount) / median
    let nanoseconds = median * 1e9 / Double(operationCount)
    let lowest = (seconds.min() ?? 0) * 1e9 / Double(operationCount)
    let highest = (seconds.max() ?? 0) * 1e9 / Double(operationCount)
    return "\(name): \(Int(rate)) per second, \(Int(nanoseconds)) ns each "
      + "(\(Int(lowest)) to \(Int(highest)) in \(seconds.count) runs)"
  }

  /// Runs `body` several times and takes the wall clock.
  static func run(
    _ name: String, operationCount: Int, repetitions: Int, _ body: () throws -> Void
  ) rethrows -> Measurement {
    let clock = ContinuousClock()
    var seconds: [Double] = []
    for _ in 0..<repetitions {
      let start = clock.now
      try body()
      let elapsed = (clock.now - start).components
      seconds.append(Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18)
    }
    return Measurement(name: name, operationCount: operationCount, seconds: seconds)
  }
}
