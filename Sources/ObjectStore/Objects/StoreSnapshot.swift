public import LogStore
public import SchemaRegistry

/// A state of the store that does not change, read in the current shape; any number, on any thread.
public final class StoreSnapshot: Sendable {
  let snapshot: Snapshot
  let reader: UpgradingReader
  @usableFromInline let bindings: ModelBindings
  /// The catalog as it was before the snapshot was taken, or at that moment: an index that it calls
  /// complete is complete in the snapshot.
  let catalog: SchemaCatalog

  init(
    _ snapshot: Snapshot, catalog: SchemaCatalog, reader: UpgradingReader, bindings: ModelBindings
  ) {
    self.snapshot = snapshot
    self.catalog = catalog
    self.reader = reader
    self.bindings = bindings
  }

  /// The sequence of the newest record it sees.
  public var lastSequence: CommitSequence { snapshot.lastSequence }

  /// The object with that key, or nothing when there is none, or none can have the key.
  ///
  /// A record of an old schema version is upgraded while it is read; nothing is written.
  /// - Throws: ``SchemaError/migrationFailed(type:keyText:fromVersion:operationID:underlying:)``
  ///   when a step fails for this object; all others stay readable.
  @inlinable
  public func get<Model: StorableObject, Key: StorableKey>(
    _ model: Model.Type, _ key: Key
  ) throws(StoreError) -> Model? {
    let binding = try bindings.binding(of: model)
    guard let found = try payload(of: key.dynamicValue, binding) else { return nil }
    return try binding.decode(model, key: found.key, payload: found.payload)
  }

  /// The object that a link means, or nothing when there is none, or the link is a placeholder.
  @inlinable
  public func get<Model: StorableObject>(_ link: Link<Model>) throws(StoreError) -> Model? {
    let binding = try bindings.binding(of: Model.self)
    guard !link.isPlaceholder, let found = try payload(of: link.key, binding) else { return nil }
    return try binding.decode(Model.self, key: found.key, payload: found.payload)
  }

  /// The objects with those keys, in the order of the keys; nothing for a key without an object.
  ///
  /// The same as getting one after another, and faster: what they need from memory is waited for
  /// together. Memory is that of all objects; a key may be there more than once.
  /// - Throws: what getting one object throws: first for keys of another kind, then for records
  ///   that cannot be read, then for objects that cannot be upgraded, each time the first.
  @inlinable
  public func get<Model: StorableObject>(
    _ model: Model.Type, keys: some Sequence<some StorableKey>
  ) throws(StoreError) -> [Model?] {
    try get(keys.map(\.dynamicValue), as: model)
  }

  /// The objects that links mean, in their order; nothing for one without an object. As fast as
  /// ``get(_:keys:)``.
  @inlinable
  public func get<Model: StorableObject>(
    _ links: some Sequence<Link<Model>>
  ) throws(StoreError) -> [Model?] {
    try get(links.map { $0.isPlaceholder ? .null : $0.key }, as: Model.self)
  }

  @inlinable
  func get<Model: StorableObject>(
    _ keys: [Value], as model: Model.Type
  ) throws(StoreError) -> [Model?] {
    let binding = try bindings.binding(of: model)
    return try payloads(of: keys, binding).map { (found) throws(StoreError) in
      try found.map { (found) throws(StoreError) in
        try binding.decode(model, key: found.key, payload: found.payload)
      }
    }
  }

  /// The objects of a type whose keys are selected.
  public func objects<Model: StorableObject>(
    _ model: Model.Type, selecting keys: KeySelection, order: KeyOrder = .ascending
  ) throws(StoreError) -> ObjectCursor<Model> {
    let binding = try bindings.binding(of: model)
    return ObjectCursor(binding: binding, dynamic: try cursor(of: binding.shape, keys, order))
  }

  /// The object of a type known by name, or nothing when there is none.
  public func object(ofType type: String, key: Value) throws(StoreError) -> DynamicObject? {
    let shape = try reader.schema.type(type)
    guard let found = try find(shape, key) else { return nil }
    return try DynamicObject(shape: found.shape, key: found.key, payload: found.payload)
  }

  /// The objects of a type known by name whose keys are selected, in the order of their keys, or
  /// against it.
  public func objects(
    ofType type: String, selecting keys: KeySelection = .all, order: KeyOrder = .ascending
  ) throws(StoreError) -> DynamicObjectCursor {
    DynamicObjectCursor(try cursor(of: try reader.schema.type(type), keys, order))
  }

  private func find(
    _ shape: TypeShape, _ key: Value
  ) throws(StoreError) -> (shape: TypeShape, key: Value, payload: [UInt8])? {
    try reader.find(key, of: shape, in: reader.collection(of: shape), from: snapshot)
  }

  @usableFromInline
  func payloads(
    of keys: [Value], _ binding: ModelBinding
  ) throws(StoreError) -> [(key: Value, payload: [UInt8])?] {
    let shape = binding.shape
    let found = try reader.find(keys, of: shape, in: reader.collection(of: shape), from: snapshot)
    return found.map { found in found.map { ($0.key, $0.payload) } }
  }

  @usableFromInline
  func payload(
    of key: Value, _ binding: ModelBinding
  ) throws(StoreError) -> (key: Value, payload: [UInt8])? {
    try reader.payload(
      of: key, binding.shape, in: reader.collection(of: binding.shape), from: snapshot)
  }

  private func cursor(
    of shape: TypeShape, _ keys: KeySelection, _ order: KeyOrder
  ) throws(StoreError) -> UpgradingCursor {
    try reader.cursor(
      of: shape, keys, order, in: reader.collection(of: shape), from: snapshot)
  }
}
