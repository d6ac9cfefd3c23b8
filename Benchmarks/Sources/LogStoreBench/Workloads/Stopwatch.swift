import Foundation

/// Wall clock and processor time of all threads of this process since it was started.
struct Stopwatch {
  private let start = ContinuousClock.now
  private let cpuStart = Self.cpuSeconds()

  var seconds: Double { Self.seconds(ContinuousClock.now - start) }
  var cpuSeconds: Double { Self.cpuSeconds() - cpuStart }

  private static func seconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
  }

  private static func cpuSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
