internal import LogStore
internal import SchemaRegistry

extension ConfiguredSchema {
  /// Refuses objects of the models that are older than a version of a history which touched their
  /// type: what they hold now is what its operations gave, and those are not here.
  ///
  /// What additive apps added is no obstacle, as they recorded what older objects have.
  func checkHistories() throws(StoreError) {
    let entries = catalog.ledger.values.filter { $0.defaults == nil }
      .sorted { $0.version < $1.version }
    if entries.isEmpty { return }
    for (key, totals) in records where totals.recordCount > 0 {
      let stored = SchemaVersion(rawValue: key.schemaVersion)
      guard let type = catalog.identity(of: key.collection), types.contains(type),
        let name = catalog.shapes[stored]?.type(type)?.name
      else { continue }
      let names = Set(catalog.shapes.values.compactMap { $0.type(type)?.name })
      let touching = entries.first { entry in
        entry.version > stored
          && entry.operations.contains { operation in
            // A barrier may touch any type.
            operation.id.contains("/barrier:")
              || names.contains { operation.id.contains("/\($0)/") }
          }
      }
      guard let touching else { continue }
      // The history ends before what a configuration wrote since.
      let newer = catalog.highestVersion.flatMap { highest in
        entries.contains { $0.version >= highest } ? nil : highest
      }
      throw .conflictingSettings(
        "there are objects of \(name) of version \(stored), and version \(touching.version) of a "
          + "history changed the type; open the store with that history"
          + (newer.map { ", and with newerStore = .projected, as version \($0) wrote to it," }
            ?? "")
          + " and call migrate() before a configuration opens it")
    }
  }
}
