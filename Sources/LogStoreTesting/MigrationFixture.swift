public import FileIO
public import ObjectStore

/// A store of an old version, made without that version's classes, to be opened by today's code.
///
///     let fixture = MigrationFixture(history)
///     try fixture.write("Person", version: 3, json: #"{"id": 1, "first": "Ada", "last": "King"}"#)
///     let store = try fixture.openLatest(models: [Person.self])
///
/// It is a real store, in memory unless another file system is given. For tests of apps.
public struct MigrationFixture: Sendable {
  /// Every version the app ever had.
  public let history: SchemaHistory
  /// Where the store is.
  public let path: String
  private let fileSystem: any FileSystem

  /// A fixture without any object yet.
  public init(
    _ history: SchemaHistory, path: String = "/fixture",
    fileSystem: any FileSystem = InMemoryFileSystem()
  ) {
    self.history = history
    self.path = path
    self.fileSystem = fileSystem
  }

  /// Writes objects as the app of `version` did; members left out are nil.
  ///
  /// Versions are written in ascending order, as an app goes through them.
  public func write(
    _ type: String, version: SchemaVersion, _ objects: [[String: Value]]
  ) throws {
    let store = try Store.open(
      at: path, history: try history.truncated(at: version), configuration: Self.still,
      fileSystem: fileSystem)
    do {
      try store.write { transaction in
        for object in objects {
          try transaction.put(transaction.makeObject(ofType: type, object))
        }
      }
    } catch {
      // What went wrong first is what is told.
      try? store.close()
      throw error
    }
    try store.close()
  }

  /// The same with one object in JSON, whose values have the forms of history files.
  public func write(_ type: String, version: SchemaVersion, json: String) throws {
    let shape = try history.shape(at: version)
    guard let type = shape.type(named: type) else {
      throw SchemaError.unknownType(type: type, version: version)
    }
    try write(type.name, version: version, [try ObjectText.members(of: type, json: json)])
  }

  /// Opens the store as today's app does; it compacts itself only if `configuration` says so.
  public func openLatest(
    models: [any StorableObject.Type] = [], configuration: StoreConfiguration? = nil
  ) throws -> Store {
    try Store.open(
      at: path, models: models, history: history, configuration: configuration ?? Self.still,
      fileSystem: fileSystem)
  }

  /// Compaction would bring objects to the newest version before a test has looked at them.
  private static var still: StoreConfiguration {
    var configuration = StoreConfiguration()
    configuration.compaction = .off
    return configuration
  }

  /// How the object with that key differs from `expected`, one line for each member; empty when it
  /// does not. Members that `expected` leaves out are not compared. Values differ as they are
  /// stored: texts by their bytes, numbers by their bits; optional members that an embedded object
  /// leaves out are nil.
  public func differences(
    _ type: String, key: Value, from expected: [String: Value]
  ) throws -> [String] {
    let store = try openLatest()
    defer { try? store.close() }
    guard let object = try store.snapshot().object(ofType: type, key: key) else {
      return ["\(type) \(key) does not exist"]
    }
    return expected.sorted { $0.key < $1.key }.compactMap { name, value in
      guard let index = object.shape.index(ofMember: name), let found = object[name] else {
        return "\(type).\(name) is no member, not \(value.text)"
      }
      let stored = Self.bytes(storing: found, in: index, of: object)
      guard stored == nil || stored != Self.bytes(storing: value, in: index, of: object) else {
        return nil
      }
      let looksAlike = found.text == value.text
      return "\(type).\(name) is \(found.text), not \(value.text)"
        + (looksAlike ? ", which looks the same and has other bytes" : "")
    }
  }

  /// What tells values of a member apart: the bytes that the store keeps of the object, or of its
  /// key. Nothing for values that the member cannot have.
  private static func bytes(
    storing value: Value, in index: Int, of object: DynamicObject
  ) -> [UInt8]? {
    let shape = object.shape
    if index == shape.keyIndex { return try? KeyCoding.encode(value, as: shape.keyType) }
    var values = shape.members.map { object[$0.name] ?? .null }
    values[index] = value
    return try? RecordPayload.encode(values, shape: shape)
  }
}
