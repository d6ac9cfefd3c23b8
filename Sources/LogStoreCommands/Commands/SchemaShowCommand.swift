internal import ArgumentParser
internal import ObjectStore
internal import SchemaRegistry

/// `logstore schema show STORE`: the shapes of every version that wrote to the store.
struct SchemaShowCommand<History: HistoryProvider>: StoreCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "show",
      abstract: "Show the types and members of every version that wrote to the store.",
      discussion: """
        With a history, its last version is shown too, even when nothing was written under it \
        yet. As JSON, a version can be taken as the base of a history file as it is, and for \
        check --against. Stores do not hold links, cases and ways back: those are not compared then.
        """)
  }

  @Argument(help: "The directory of the store.") var store: String
  @OptionGroup var history: History
  @OptionGroup var reporting: ReportingOptions

  func perform(_ console: Console) throws -> ExitStatus {
    let history = try history.history()
    let store = try Store.open(at: store, history: history, configuration: .inspection)
    console.noteRecovery(store.recoveryReport, json: reporting.json)
    let (stored, ledger) = (store.storedSchemas, store.ledger)
    var schemas = stored
    if schemas[store.schemaVersion] == nil, !store.schema.types.isEmpty {
      schemas[store.schemaVersion] = store.schema
    }
    let sorted = schemas.values.sorted { $0.version < $1.version }
    if reporting.json {
      try console.write([
        "current": .count(store.schemaVersion.rawValue),
        "versions": .reports(
          sorted.map { schema in
            ShapeText.report(
              schema,
              fingerprint: ledger[schema.version]?.fingerprint
                ?? Self.fingerprint(at: schema.version, in: history),
              removed: ShapeText.removedTypes(before: schema, in: sorted, ledger))
          }),
      ])
      return .success
    }
    for schema in sorted {
      let isStored = stored[schema.version] != nil
      try console.output.writeLine(
        "Version \(schema.version)" + (isStored ? "" : "  (of the history, not stored yet)"))
      for type in schema.types.sorted(by: { $0.name < $1.name }) {
        for line in ShapeText.lines(type) { try console.output.writeLine("  " + line) }
      }
    }
    return .success
  }

  /// What stands for the versions before one, where `history` knows of some.
  private static func fingerprint(
    at version: SchemaVersion, in history: SchemaHistory?
  ) -> ShapeFingerprint? {
    guard let history else { return nil }
    if version == history.base.version { return history.base.fingerprint }
    return try? history.fingerprint(at: version)
  }
}
