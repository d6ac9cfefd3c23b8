import Foundation

/// Numbers of which few come often: YCSB's scrambled Zipfian distribution with its constant 0.99.
///
/// The algorithm is that of Gray et al., "Quickly generating billion-record synthetic databases",
/// 1994; scrambling spreads the frequent numbers over the whole range.
struct ZipfianNumbers {
  private let count: Int
  private let zeta: Double
  private let eta: Double
  private let alpha: Double

  private static let theta = 0.99

  init(below count: Int) {
    self.count = count
    zeta = (1...count).reduce(0) { $0 + 1 / pow(Double($1), Self.theta) }
    alpha = 1 / (1 - Self.theta)
    let zetaOfTwo = 1 + pow(0.5, Self.theta)
    eta = (1 - pow(2 / Double(count), 1 - Self.theta)) / (1 - zetaOfTwo / zeta)
  }

  func next(_ random: inout SplitMix) -> UInt32 {
    let uniform = Double(random.next() >> 11) / Double(1 << 53)
    let scaled = uniform * zeta
    let rank: Int
    if scaled < 1 {
      rank = 0
    } else if scaled < 1 + pow(0.5, Self.theta) {
      rank = 1
    } else {
      rank = Int(Double(count) * pow(eta * uniform - eta + 1, alpha))
    }
    var scrambled = SplitMix(seed: UInt64(rank))
    return UInt32(scrambled.next() % UInt64(count))
  }
}
