/// Counts in how many packages each field occurs.
struct FieldCensus {
  private(set) var packageCount = 0
  private var counts: [String: Int] = [:]

  mutating func count(_ stanza: [String: String]) {
    packageCount += 1
    for name in stanza.keys { counts[name, default: 0] += 1 }
  }

  /// The fields in order of their names, and whether every package has them.
  var fields: [(name: String, isInAll: Bool)] {
    counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value == packageCount) }
  }
}
