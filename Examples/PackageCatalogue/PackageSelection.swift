/// Decides which stanzas of a catalogue are kept.
struct PackageSelection {
  private let limit: Int?
  private let isUnique: Bool
  private var count = 0
  private var names: Set<String> = []

  init(limit: Int?, isUnique: Bool) {
    self.limit = limit
    self.isUnique = isUnique
  }

  /// Whether no further stanza will be taken.
  var isComplete: Bool {
    if let limit { count >= limit } else { false }
  }

  /// Whether `stanza` belongs to the selection; stanzas without a package name never do.
  mutating func take(_ stanza: [String: String]) -> Bool {
    guard !isComplete, let name = stanza["Package"] else { return false }
    if isUnique, !names.insert(name).inserted { return false }
    count += 1
    return true
  }
}
