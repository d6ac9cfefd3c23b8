package import BinaryCoding

/// How a history differs from what a store recorded of it.
public struct LedgerComparison: Hashable, Sendable {
  /// Operations of shipped versions that were edited, inserted, moved or taken away; a whole
  /// version where only something before it explains another fingerprint.
  public var edited: [String] = []
  /// Operations whose code was changed on purpose: their revision was raised, nothing else.
  public var revised: [String] = []

  public init() {}
}

extension SchemaHistory {
  /// What a store records of this history: one line for each version after the base up to
  /// `version`.
  public func ledger(through version: SchemaVersion) -> [SchemaVersion: RecordedVersion] {
    var operations: [SchemaVersion: [RecordedVersion.Operation]] = [:]
    for operation in self.operations {
      operations[operation.version, default: []].append(
        RecordedVersion.Operation(
          id: operation.id, parameterHash: operation.parameterHash, revision: operation.revision))
    }
    var entries: [SchemaVersion: RecordedVersion] = [:]
    for next in versions where next.number <= version {
      guard let fingerprint = derived[next.number]?.fingerprint else { continue }
      entries[next.number] = RecordedVersion(
        version: next.number, fingerprint: fingerprint, operations: operations[next.number] ?? [],
        grades: grades(at: next.number), inverses: derived[next.number]?.inverses ?? [])
    }
    return entries
  }

  /// What apps of earlier versions can do with the types that `version` touched.
  private func grades(at version: SchemaVersion) -> [TypeIdentity: ForwardGrade] {
    var grades: [TypeIdentity: ForwardGrade] = [:]
    for operation in operations
    where operation.version == version && operation.forward.grade != .full {
      grades[operation.type] = max(grades[operation.type] ?? .full, operation.forward.grade)
    }
    for barrier in derived[version]?.barriers ?? [] {
      for type in barrier.types { grades[type] = .refused }
    }
    return grades
  }

  /// The operations of one version, which lie side by side.
  private func operations(of version: SchemaVersion) -> some Collection<OperationDescription> {
    let first = operations.countOfPrefix { $0.version < version }
    return operations[first...].prefix { $0.version == version }
  }

  /// Compares this history with what a store recorded.
  ///
  /// Versions that only one side has say nothing: later ones are new, earlier ones were squashed. A
  /// version whose operations are the same but whose fingerprint is not had another past: the base,
  /// or a version that the store never met, was edited. One with lower revisions is no other past.
  public func comparison(with ledger: [SchemaVersion: RecordedVersion]) -> LedgerComparison {
    comparison(with: SortedTable(ledger))
  }

  /// The same for what is not in a hash table.
  package func comparison(
    with ledger: SortedTable<SchemaVersion, RecordedVersion>
  ) -> LedgerComparison {
    var result = LedgerComparison()
    if let recorded = ledger[base.version], let fingerprint = base.fingerprint,
      recorded.fingerprint != fingerprint,
      !base.formerFingerprints.contains(recorded.fingerprint)
    {
      result.edited.append("base \(base.version)")
    }
    var former: [SchemaVersion: FormerFingerprints]?
    for (version, recorded) in ledger.entries {
      guard version > base.version, let fingerprint = derived[version]?.fingerprint else {
        continue
      }
      var known: [String: RecordedVersion.Operation] = [:]
      for operation in recorded.operations { known[operation.id] = operation }
      for operation in operations(of: version) {
        let old = known.removeValue(forKey: operation.id)
        if old?.parameterHash != operation.parameterHash || operation.revision < old?.revision ?? 0
        {
          result.edited.append(operation.id)
        } else if operation.revision != old?.revision {
          result.revised.append(operation.id)
        }
      }
      result.edited += known.keys.sorted()
      // An earlier difference explains this one.
      guard result.edited.isEmpty, fingerprint != recorded.fingerprint else { continue }
      let fingerprints = former ?? formerFingerprints(through: latestVersion, ledger: ledger)
      former = fingerprints
      let isRevised = fingerprints[version]?.values.contains(recorded.fingerprint) == true
      // Where not all are known, what was revised may explain it.
      if !isRevised, fingerprints[version]?.isComplete != false || result.revised.isEmpty {
        result.edited.append("v\(version)")
      }
    }
    return result
  }
}
