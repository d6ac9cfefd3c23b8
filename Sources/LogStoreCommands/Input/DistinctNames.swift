/// Finds a name given twice: by comparing while members are few, by hashing once they are many.
struct DistinctNames {
  /// Up to this many members comparing is faster than hashing.
  private static let comparedCountMaximum = 32
  private var hashed: Set<String> = []

  /// Takes up `name`; false when one of `members`, all taken up before, has it already.
  mutating func insert(_ name: String, among members: [ImportMember]) -> Bool {
    if members.count < Self.comparedCountMaximum {
      return !members.contains { $0.name == name }
    }
    if hashed.isEmpty {
      hashed = Set(members.lazy.map(\.name))
    }
    return hashed.insert(name).inserted
  }
}
