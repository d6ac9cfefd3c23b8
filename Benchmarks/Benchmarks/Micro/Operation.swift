import Benchmark
import Foundation

/// One operation that is measured by the processor time of the thread that does it.
///
/// The time of the whole process, which the library measures, has a grain of ten milliseconds.
enum Operation {
  /// Nanoseconds of processor time for a thousand operations.
  static let time = BenchmarkMetric.custom("processor ns per 1000", polarity: .prefersSmaller)

  /// Measures `body`, which does the operation `count` times with what `setUp` made.
  static func measure<State: Sendable>(
    _ name: String, count: Int = 1000, setUp: @escaping @Sendable () throws -> State,
    _ body: @escaping @Sendable (State, Int) throws -> Void
  ) {
    Benchmark(
      name,
      configuration: Benchmark.Configuration(
        metrics: [time], warmupIterations: 3, maxDuration: .milliseconds(500),
        maxIterations: 1000)
    ) { (benchmark: Benchmark, state: State) in
      let begin = processorTime()
      try body(state, count)
      benchmark.measurement(time, (processorTime() - begin) * 1000 / count)
    } setup: {
      try setUp()
    }
  }

  /// Nanoseconds of processor time that this thread has taken.
  private static func processorTime() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}
