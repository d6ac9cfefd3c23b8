internal import LogStore
internal import ObjectStore

extension StoreConfiguration {
  /// For commands that read: nothing is written, an app may begin to write meanwhile, and memory
  /// does not grow with mapped files.
  static var inspection: StoreConfiguration {
    var configuration = StoreConfiguration.readOnly
    // What a command shows is not built upon, and no file is synchronized for it.
    configuration.log.durability = .process
    configuration.log.readMode = .buffered
    // A tool mends stores: what was edited, `schema check` tells.
    configuration.editedHistory = .reported
    return configuration
  }

  /// For commands that change a store which exists.
  static var maintenance: StoreConfiguration {
    var configuration = StoreConfiguration.filling
    configuration.log.createIfMissing = false
    // Who compacts under a history wants all that it does.
    configuration.barriers.byteCountMaximum = .max
    return configuration
  }

  /// For commands that fill a store, which is created when it is missing.
  static var filling: StoreConfiguration {
    var configuration = StoreConfiguration()
    configuration.log.readMode = .buffered
    configuration.log.writeMode = .buffered
    // A tool mends stores: what was edited, `schema check` tells.
    configuration.editedHistory = .reported
    // A command ends; what it leaves dead is for `compact`, or for the app.
    configuration.compaction = .off
    return configuration
  }
}

extension Store {
  /// Opens a store under a history, or as it is stored where there is none.
  static func open(
    at path: String, history: SchemaHistory?, configuration: StoreConfiguration
  ) throws(StoreError) -> Store {
    guard let history else { return try open(at: path, configuration: configuration) }
    return try open(at: path, history: history, configuration: configuration)
  }

  /// The type called `name`; an error that lists what there is where there is no such type.
  func type(_ name: String) throws(CommandError) -> TypeShape {
    if let type = schema.type(named: name) { return type }
    let names = schema.types.map(\.name).sorted()
    let known =
      names.isEmpty ? "it has no types yet" : "its types are \(names.joined(separator: ", "))"
    throw .usage("version \(schemaVersion) of the store has no type \(name); \(known)")
  }

  /// The types in the order in which commands show them.
  var sortedTypes: [TypeShape] { schema.types.sorted { $0.name < $1.name } }
}
