/// The fingerprints that a version of a history may have had: its own, and those from before
/// revisions of code were raised.
///
/// A fingerprint is a chain over all revisions up to its version, and stores keep the one that they
/// met first. So a history of which one revision was raised twice has had three for each version
/// from there on, and all of them are honest.
struct FormerFingerprints {
  /// As many as are looked at for one version.
  private static let countMaximum = 256
  /// A revision above it is no count, but a date, say.
  private static let revisionMaximum: UInt32 = 16

  private(set) var values: Set<ShapeFingerprint>
  /// Whether these are all.
  private(set) var isComplete = true

  init(_ base: Base, _ fingerprint: ShapeFingerprint) {
    values = Set(base.formerFingerprints + [fingerprint])
  }

  /// Goes on to a later version with these operations.
  mutating func advance(to version: SchemaVersion, by operations: [OperationDescription]) {
    let combinations = combinations(operations)
    values = Set(
      values.flatMap { previous in
        combinations.map { revisions in
          HistoryChain.fingerprint(
            of: version, after: previous, operations, revisions: revisions)
        }
      })
  }

  /// The revisions that the operations may have had together.
  private mutating func combinations(_ operations: [OperationDescription]) -> [[UInt32]] {
    var combinations: [[UInt32]] = [[]]
    for operation in operations {
      let revisions = revisions(of: operation)
      combinations = combinations.flatMap { before in revisions.map { before + [$0] } }
      if combinations.count * values.count > Self.countMaximum {
        isComplete = false
        return [operations.map { min($0.revision, 1) }, operations.map(\.revision)]
      }
    }
    return combinations
  }

  private mutating func revisions(of operation: OperationDescription) -> [UInt32] {
    guard operation.revision > 1 else { return [operation.revision] }
    guard operation.revision <= Self.revisionMaximum else {
      isComplete = false
      return [1, operation.revision]
    }
    return Array(1...operation.revision)
  }
}

extension SchemaHistory {
  /// The fingerprints that versions may have had, from the base up to `last`.
  func formerFingerprints(through last: SchemaVersion) -> [SchemaVersion: FormerFingerprints] {
    guard let first = derived[base.version]?.fingerprint else { return [:] }
    let operations = Dictionary(grouping: operations, by: \.version)
    var known = FormerFingerprints(base, first)
    var found = [base.version: known]
    for version in versions where version.number <= last {
      known.advance(to: version.number, by: operations[version.number] ?? [])
      found[version.number] = known
    }
    return found
  }
}
