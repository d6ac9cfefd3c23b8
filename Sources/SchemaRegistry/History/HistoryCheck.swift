package import BinaryCoding

/// Compares a history with what a store holds, from the catalog alone: no record is read.
public enum HistoryCheck {
  /// Throws the first thing that keeps the store from being opened under `requested`.
  ///
  /// In this order: an invalid history, a reserved version, a store that is newer (R4), a chain
  /// that does not reach from the oldest records to `requested` (R6), edited operations (R8), a
  /// stored schema that differs from the one that now has its number (R5), and a chain that does
  /// not reach the `declared` schema (R7). Errors list every difference at once.
  ///
  /// - Parameters:
  ///   - storedShapes: the schemas in the catalog by version.
  ///   - records: how many records each type has under each version; types that the history does
  ///     not know are left alone.
  ///   - ledger: what the store recorded of the versions it met; empty when edits are no error.
  ///   - declared: the schema that the code declares, nil for tools that have no code.
  ///   - allowingNewer: whether the store may be newer, to be read as far as the ledger allows.
  public static func check(
    _ history: SchemaHistory, storedShapes: [SchemaVersion: SchemaShape],
    records: [RecordCount], requested: SchemaVersion,
    ledger: [SchemaVersion: RecordedVersion] = [:], declared: SchemaShape? = nil,
    allowingNewer: Bool = false
  ) throws(SchemaError) -> HistoryCheckResult {
    try check(
      history, storedShapes: SortedTable(storedShapes), records: records, requested: requested,
      ledger: SortedTable(ledger), declared: declared, allowingNewer: allowingNewer)
  }

  /// The same for what is not in hash tables.
  package static func check(
    _ history: SchemaHistory, storedShapes: SortedTable<SchemaVersion, SchemaShape>,
    records: [RecordCount], requested: SchemaVersion,
    ledger: SortedTable<SchemaVersion, RecordedVersion>, declared: SchemaShape?,
    allowingNewer: Bool
  ) throws(SchemaError) -> HistoryCheckResult {
    try history.validate()
    guard requested != .reserved else { throw .reservedVersion }
    let stored = storedShapes.keys.last
    let newest = max(stored ?? 0, records.lazy.map(\.version).max() ?? 0)
    guard newest <= requested || allowingNewer else {
      throw .storeIsNewer(stored: newest, requested: requested)
    }
    let known = records.filter {
      $0.count > 0 && $0.version <= requested && history.knows($0.type)
    }
    try checkChain(history, known, requested)
    try checkGaps(history, known, requested)
    let edited = history.comparison(with: ledger).edited
    if !edited.isEmpty { throw .historyEdited(operationIDs: edited) }
    for (version, shape) in storedShapes.entries {
      guard let derived = history.derived[version]?.shape else { continue }
      let differences = shape.differences(to: derived)
      if !differences.isEmpty {
        throw .schemaMismatch(version: version, differences: differences)
      }
    }
    if let declared {
      let derived = try history.shape(at: requested)
      let differences = derived.differences(to: declared, ignoringIdentities: true)
      if !differences.isEmpty {
        throw .chainDoesNotReachModel(version: requested, differences: differences)
      }
    }
    let outdated = known.filter {
      history.lastVersion(touching: $0.type, through: requested) > $0.version
    }
    return HistoryCheckResult(
      outdated: outdated, oldestNeeded: outdated.map(\.version).min() ?? requested)
  }

  private static func checkChain(
    _ history: SchemaHistory, _ records: [RecordCount], _ requested: SchemaVersion
  ) throws(SchemaError) {
    let oldest = records.map(\.version).min() ?? requested
    let tooOld = records.filter { $0.version < history.base.version }
    if !tooOld.isEmpty {
      throw .chainIncomplete(
        missing: SchemaVersion(oldest.rawValue + 1), oldestStored: oldest, requested: requested,
        recordCount: total(tooOld))
    }
    guard requested <= history.latestVersion else {
      throw .chainIncomplete(
        missing: SchemaVersion(history.latestVersion.rawValue + 1), oldestStored: oldest,
        requested: requested, recordCount: total(records))
    }
    guard history.derived[requested] != nil else {
      throw .unknownVersion(
        version: requested, oldest: history.base.version, latest: history.latestVersion)
    }
  }

  /// A version that the numbers of the history pass over may be one that somebody shipped.
  private static func checkGaps(
    _ history: SchemaHistory, _ records: [RecordCount], _ requested: SchemaVersion
  ) throws(SchemaError) {
    let current = history.derived[requested]?.shape
    // Nobody reads objects of a type that is gone.
    let undescribed = records.filter {
      history.derived[$0.version] == nil && current?.type($0.type) != nil
    }
    guard let missing = undescribed.map(\.version).min() else { return }
    throw .chainIncomplete(
      missing: missing, oldestStored: records.map(\.version).min() ?? missing,
      requested: requested, recordCount: total(undescribed))
  }

  private static func total(_ records: [RecordCount]) -> UInt64 {
    records.reduce(0) { sum, record in
      let (next, overflow) = sum.addingReportingOverflow(record.count)
      return overflow ? .max : next
    }
  }
}
