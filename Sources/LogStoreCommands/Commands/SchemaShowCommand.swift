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
        yet. As JSON, a version can be taken as the base of a history file as it is.
        """)
  }

  @Argument(help: "The directory of the store.") var store: String
  @OptionGroup var history: History
  @OptionGroup var reporting: ReportingOptions

  func perform(_ console: Console) throws -> ExitStatus {
    let store = try Store.open(
      at: store, history: try history.history(), configuration: .inspection)
    console.noteRecovery(of: store, json: reporting.json)
    var schemas = store.storedSchemas
    if schemas[store.schemaVersion] == nil, !store.schema.types.isEmpty {
      schemas[store.schemaVersion] = store.schema
    }
    let sorted = schemas.values.sorted { $0.version < $1.version }
    if reporting.json {
      try console.write([
        "current": .count(store.schemaVersion.rawValue),
        "versions": .reports(sorted.map { ShapeText.report($0) }),
      ])
      return .success
    }
    for schema in sorted {
      let isStored = store.storedSchemas[schema.version] != nil
      try console.output.writeLine(
        "Version \(schema.version)" + (isStored ? "" : "  (of the history, not stored yet)"))
      for type in schema.types.sorted(by: { $0.name < $1.name }) {
        for line in ShapeText.lines(type) { try console.output.writeLine("  " + line) }
      }
    }
    return .success
  }
}
