/// How much of a processor's core the run had: hosts let two machines share one, and who waits for
/// memory then loses nothing, who computes up to half.
///
/// A chain of operations that wait for each other takes as long beside a neighbour as without one;
/// six chains side by side fill the core, and share it. Their ratio needs no clock rate, and one
/// that few looks exceed stands for a core without a neighbour.
struct CoreShare {
  private var widths: [Double] = []

  private static let lookCount = 3
  private static let stepCount = 50_000

  /// Looks a few times, for a quarter of a millisecond each.
  mutating func look() {
    for _ in 0..<Self.lookCount { widths.append(Self.width()) }
  }

  /// One line on what the looks found; nothing without a look.
  var line: String? {
    guard !widths.isEmpty else { return nil }
    let sorted = widths.sorted()
    // The very best is one whose single chain was interrupted.
    let alone = sorted[sorted.count * 9 / 10]
    guard alone > 0 else { return nil }
    let shares = sorted.map { Int(min(100, 100 * $0 / alone).rounded()) }
    return "share of a core that the run had, in \(shares.count) looks between phases: median "
      + "\(shares[shares.count / 2]) %, a tenth below \(shares[shares.count / 10]) %"
  }

  /// How many chains took as long as one.
  private static func width() -> Double {
    var chains: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (1, 2, 3, 4, 5, 6)
    let clock = ContinuousClock()
    let one = clock.measure {
      for _ in 0..<stepCount { step(&chains.0) }
    }
    let six = clock.measure {
      for _ in 0..<stepCount {
        step(&chains.0)
        step(&chains.1)
        step(&chains.2)
        step(&chains.3)
        step(&chains.4)
        step(&chains.5)
      }
    }
    // What nobody looks at would not be computed.
    let sum = chains.0 ^ chains.1 ^ chains.2 ^ chains.3 ^ chains.4 ^ chains.5
    return sum == 0 ? 0 : 6 * (one / six)
  }

  /// A step of the generator of Marsaglia, "Xorshift RNGs", 2003.
  @inline(__always)
  private static func step(_ state: inout UInt64) {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
  }
}
