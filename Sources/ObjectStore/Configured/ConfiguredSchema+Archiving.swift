internal import SchemaRegistry

extension ConfiguredSchema {
  /// How objects are read; nothing when the store is to be set aside for a new one: it declares
  /// something else than the models say, or an older version, or older objects need code that there
  /// is not.
  ///
  /// - Throws: what is wrong with the models or the block, as a new store would not help, and that
  ///   the store is newer: no migration helps, and the release that wrote it would set aside what
  ///   is written now.
  func readingUnlessOutdated(
    noting noted: inout [SchemaVersion: Migration], _ slowUpgrades: SlowUpgradeReports?
  ) throws(StoreError) -> StoreReading.Decided? {
    try checkModels()
    try checkVersion()
    if try needsMigration { return nil }
    do throws(StoreError) {
      return try reading(noting: &noted, slowUpgrades)
    } catch {
      switch error {
      case .migrationNeeded, .primaryKeyChanged:
        noted = [:]
        return nil
      default: throw error
      }
    }
  }

  /// Throws what a new store would say of the models.
  private func checkModels() throws(StoreError) {
    var notes: [SchemaVersion: Migration] = [:]
    _ = try ConfiguredSchema(configuration, catalog: SchemaCatalog(), records: [])
      .reading(noting: &notes, nil)
  }

  /// Whether what the store declares is not what the models say, or is of another version.
  var needsMigration: Bool {
    get throws(StoreError) {
      guard let highest = catalog.highestVersion else { return false }
      guard highest == version, newest.values.allSatisfy({ $0.version == version }) else {
        return true
      }
      let differences = try StoreError.schema { () throws(SchemaError) in
        try self.differences()
      }
      return !differences.isEmpty
    }
  }
}
