public import FileIO
internal import LogStore
internal import SchemaRegistry

extension Store {
  /// Opens the store in the directory at `path`, whose schema grows by additions alone.
  ///
  /// Apps with different models use it in turn, and none loses what only another knows; see
  /// ``SchemaEvolution/additive``. Neither versions nor a history are needed. No object is read,
  /// and no byte of an existing store changes before something is written.
  /// - Throws: ``SchemaError/notAdditive(changes:withoutDefault:)`` with everything that the models
  ///   change instead of adding; ``StoreError/conflictingSettings(_:)`` when objects of older
  ///   versions need the history that the store was opened with before.
  public static func open(
    at path: String, models: [any StorableObject.Type], evolution: SchemaEvolution,
    configuration: StoreConfiguration = StoreConfiguration(),
    fileSystem: any FileSystem = POSIXFileSystem()
  ) throws(StoreError) -> Store {
    let decide: StoreReading.Deciding = { (log, catalog) throws(StoreError) in
      var schema = try AdditiveSchema(models, catalog: catalog, records: log.sortedLive).schema()
      schema.failurePolicies = configuration.failurePolicies
      return StoreReading.Decided(
        reader: UpgradingReader(schema: schema, catalog: catalog),
        bindings: try ModelBindings(models, schema: schema))
    }
    return try open(at: path, configuration, fileSystem, again: decide, first: decide)
  }
}
