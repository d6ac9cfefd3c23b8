internal import BinaryCoding

/// The fingerprints that a version of a history may have had: its own, and those from before
/// revisions of code were raised.
///
/// A fingerprint is a chain over all revisions up to its version, and stores keep the one that they
/// met first. So a history of which one revision was raised twice has had three for each version
/// from there on, and all of them are honest. What a store recorded of the operations says from
/// where their revisions were raised since; those that were not cost nothing.
struct FormerFingerprints {
  /// About as many as are looked at for one version.
  private static let countMaximum = 256
  /// A revision that is so much higher is no count, but a date, say.
  private static let distanceMaximum: UInt32 = 16

  private(set) var values: [ShapeFingerprint]
  /// Whether these are all.
  private(set) var isComplete: Bool
  /// With the lowest revisions everywhere, and with the present ones.
  private var lowest: ShapeFingerprint
  private var present: ShapeFingerprint

  /// The most that are taken from a base, which may be any file's: more than a squash writes down,
  /// but for stores that were asked.
  private static let givenMaximum = 4096

  init(_ base: Base, _ fingerprint: ShapeFingerprint) {
    values = Self.distinct(
      [fingerprint] + base.formerFingerprints.prefix(Self.givenMaximum))
    isComplete = base.formerFingerprints.count <= Self.givenMaximum
    lowest = base.formerFingerprints.first ?? fingerprint
    present = fingerprint
  }

  /// Goes on to a later version with these operations, of which a store recorded these revisions.
  mutating func advance(
    to version: SchemaVersion, by operations: [OperationDescription],
    recorded: (OperationDescription) -> UInt32?
  ) {
    let current = operations.map(\.revision)
    let choices = operations.map { revisions(of: $0.revision, recorded: recorded($0)) }
    func next(_ before: ShapeFingerprint, _ revisions: [UInt32]) -> ShapeFingerprint {
      HistoryChain.fingerprint(of: version, after: before, operations, revisions: revisions)
    }
    let before = present
    lowest = next(lowest, choices.map { $0.first ?? 0 })
    present = next(before, current)
    if let combinations = combinations(choices, for: values.count) {
      values = Self.distinct(
        values.flatMap { before in combinations.map { next(before, $0) } })
    } else {
      isComplete = false
      // Those whose earlier revisions were as they are, the first to be kept, and those whose later
      // ones were not raised yet when the store met the version.
      let near = choices.map { $0.count > 3 ? [$0[0]] + $0.suffix(2) : $0 }
      let others = (combinations(near, for: 1) ?? []).map { next(before, $0) }
      let known = values.prefix(Self.countMaximum).map { next($0, current) }
      values = Self.distinct([present, lowest] + others + known)
    }
  }

  private static func distinct(_ values: [ShapeFingerprint]) -> [ShapeFingerprint] {
    var known: Set<ShapeFingerprint> = []
    return values.filter { known.insert($0).inserted }
  }

  /// All but `fingerprint`, the one with the lowest revisions first.
  func sorted(without fingerprint: ShapeFingerprint) -> [ShapeFingerprint] {
    let others = values.filter { $0 != fingerprint && $0 != lowest }
      .sorted { ($0.high, $0.low) < ($1.high, $1.low) }
    return values.contains(lowest) && lowest != fingerprint ? [lowest] + others : others
  }

  /// The revisions that the operations may have had together; nothing where they are too many for
  /// so many fingerprints.
  private func combinations(_ choices: [[UInt32]], for valueCount: Int) -> [[UInt32]]? {
    var combinations: [[UInt32]] = [[]]
    for revisions in choices {
      let count = combinations.count * revisions.count
      // Where nothing was raised they stay as many as they are.
      guard count == 1 || count * valueCount <= Self.countMaximum else { return nil }
      combinations = combinations.flatMap { before in revisions.map { before + [$0] } }
    }
    return combinations
  }

  /// What the revision may have been, the lowest first. Without a record all that a count has gone
  /// through: the first one is 1, where nobody says otherwise.
  private mutating func revisions(of revision: UInt32, recorded: UInt32?) -> [UInt32] {
    let first = recorded ?? min(revision, 1)
    guard first < revision else { return [revision] }
    guard revision - first <= Self.distanceMaximum else {
      isComplete = false
      return [first, revision - 1, revision]
    }
    return Array(first...revision)
  }
}

extension SchemaHistory {
  /// The fingerprints that versions may have had, from the base up to `last`, for a store that
  /// recorded `ledger`.
  func formerFingerprints(
    through last: SchemaVersion,
    ledger: SortedTable<SchemaVersion, RecordedVersion> = SortedTable()
  ) -> [SchemaVersion: FormerFingerprints] {
    guard let first = derived[base.version]?.fingerprint else { return [:] }
    let operations = Dictionary(grouping: operations, by: \.version)
    var recorded: [String: UInt32] = [:]
    for entry in ledger.values {
      for operation in entry.operations { recorded[operation.id] = operation.revision }
    }
    var known = FormerFingerprints(base, first)
    var found = [base.version: known]
    for version in versions where version.number <= last {
      known.advance(to: version.number, by: operations[version.number] ?? []) { recorded[$0.id] }
      found[version.number] = known
    }
    return found
  }
}
