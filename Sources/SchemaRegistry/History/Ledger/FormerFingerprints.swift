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

  private(set) var values: Set<ShapeFingerprint>
  /// Whether these are all.
  private(set) var isComplete = true
  /// With the lowest revisions everywhere, and with the present ones.
  private var lowest: ShapeFingerprint
  private var present: ShapeFingerprint

  init(_ base: Base, _ fingerprint: ShapeFingerprint) {
    values = Set(base.formerFingerprints + [fingerprint])
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
    lowest = next(lowest, choices.map { $0.first ?? 0 })
    present = next(present, current)
    if let combinations = combinations(choices) {
      values = Set(values.flatMap { before in combinations.map { next(before, $0) } })
    } else {
      isComplete = false
      // Those whose later revisions were not raised when the store met the version.
      let known = values.count < Self.countMaximum ? values : []
      values = Set(known.map { next($0, current) } + [lowest, present])
    }
  }

  /// The revisions that the operations may have had together; nothing where they are too many.
  private func combinations(_ choices: [[UInt32]]) -> [[UInt32]]? {
    var combinations: [[UInt32]] = [[]]
    for revisions in choices {
      guard combinations.count * revisions.count * values.count <= Self.countMaximum else {
        return nil
      }
      combinations = combinations.flatMap { before in revisions.map { before + [$0] } }
    }
    return combinations
  }

  /// What the revision may have been, the lowest first. Without a record all that a count has gone
  /// through, the first one of which nearly always is 1.
  private mutating func revisions(of revision: UInt32, recorded: UInt32?) -> [UInt32] {
    let first = recorded ?? (revision > 1 ? 0 : revision)
    guard first < revision else { return [revision] }
    guard revision - first <= Self.distanceMaximum else {
      isComplete = false
      return [recorded ?? 1, revision]
    }
    return Array(first...revision)
  }
}

extension SchemaHistory {
  /// The fingerprints that versions may have had, from the base up to `last`, for a store that
  /// recorded `ledger`.
  func formerFingerprints(
    through last: SchemaVersion, ledger: [SchemaVersion: RecordedVersion] = [:]
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
