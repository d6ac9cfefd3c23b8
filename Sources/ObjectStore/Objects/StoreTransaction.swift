public import LogStore
public import SchemaRegistry

/// Reads and changes that become visible and durable together; used inside its body only.
public final class StoreTransaction {
  let transaction: Transaction
  let reader: UpgradingReader
  @usableFromInline let bindings: ModelBindings
  /// What the store knew of its data when the transaction began.
  private let known: KnownCatalog
  /// What it knows besides once this transaction is committed; nothing while that is the same.
  private(set) var described: SchemaCatalog?
  /// Whether that describes the current version, with its indexes and models.
  private var hasDescribedVersion: Bool
  /// Whether this transaction has added what there is to be recorded of the history.
  private var hasRecordedHistory = false

  /// Whether a value of a unique member is refused that another object has.
  var refusesDuplicates = true
  /// The values that were not refused.
  var sharedValues = SharedValues()

  /// The type that was described last, for transactions that write many objects of one.
  private var lastDescribed: (type: TypeIdentity, collection: CollectionIdentifier)?

  /// What it changed, for those who watch; nothing when nobody did as it began.
  private(set) var changes: NotedChanges?

  init(
    _ transaction: Transaction, reader: UpgradingReader, bindings: ModelBindings,
    changes: NotedChanges? = nil
  ) {
    self.transaction = transaction
    self.changes = changes
    self.reader = reader
    self.bindings = bindings
    known = reader.knownCatalog
    hasDescribedVersion = known.isDescribed
  }

  /// What the store knows of its data once this transaction is committed.
  var catalog: SchemaCatalog { described ?? known.catalog }
  /// Whether it has indexes, so that puts need not copy it to see that it has none.
  var hasIndexes: Bool { described.map { !$0.indexes.isEmpty } ?? known.hasIndexes }

  /// Stores an object, in place of the one with the same key if there is one.
  @inlinable
  public func put<Model: StorableObject>(_ object: consuming Model) throws(StoreError) {
    let binding = try bindings.binding(of: Model.self)
    try put(try binding.encode(object), as: binding)
  }

  @usableFromInline
  func put(
    _ encoded: (key: [UInt8], payload: [UInt8]), as binding: ModelBinding
  ) throws(StoreError) {
    var encoded = encoded
    if binding.hidesMembers, let old = try self.object(binding.shape, encoded.key) {
      encoded.payload = try binding.payload(encoded, keepingHiddenOf: old)
    }
    try put(encoded, as: binding.shape, hidden: binding.hidden)
  }

  /// Stores an object whose type is known by name.
  ///
  /// A value that is none of the cases which the history declares for its member is refused, as one
  /// of another type is, unless the object that is replaced has it already.
  ///
  /// - Precondition: the object's shape is the current one of its type.
  public func put(_ object: DynamicObject) throws(StoreError) {
    let shape = try reader.schema.type(object.typeName)
    guard object.shape == shape else {
      throw .schema(
        .invalidShape(
          type: shape.name, reason: "the object has the shape of another schema version"))
    }
    let encoded = try object.encode()
    try checkCases(of: shape, key: object.key) { object[$0] }
    try put(encoded, as: shape)
  }

  /// Refuses what is no case of its member. What older apps may write into objects of newer ones is
  /// checked where that is turned into what they have.
  private func checkCases(
    of shape: TypeShape, key: Value, _ value: (String) -> Value?
  ) throws(StoreError) {
    guard reader.schema.newer == nil, let rules = reader.schema.caseRules[shape.identity] else {
      return
    }
    for (member, error) in rules.violations(of: shape.name, value) {
      var old: DynamicObject?
      do throws(StoreError) { old = try object(ofType: shape.name, key: key) } catch .log(let cause)
      {
        throw .log(cause)
      } catch {}
      guard let known = old?[member], known == value(member) else { throw .schema(error) }
    }
  }

  /// Stores an object of a type known by name, given as one value for each member of the type's
  /// current shape, in its order: the fast way for tools. Cases are checked as above.
  ///
  /// - Precondition: the number of values is that of the members.
  public func put(_ values: [Value], ofType type: String) throws(StoreError) {
    let shape = try reader.schema.type(type)
    let encoded = try StoreError.schema { () throws(SchemaError) in
      let payload = try RecordPayload.encode(values, shape: shape)
      return (key: try KeyCoding.encode(values[shape.keyIndex], as: shape.keyType), payload)
    }
    try checkCases(of: shape, key: values[shape.keyIndex]) { name in
      shape.members.firstIndex { $0.name == name }.map { values[$0] }
    }
    try put(encoded, as: shape)
  }

  /// A new object of a type known by name; members left out are absent.
  public func makeObject(
    ofType type: String, _ values: [String: Value]
  ) throws(StoreError) -> DynamicObject {
    try DynamicObject(shape: try reader.schema.type(type), values: values)
  }

  /// Removes the object with that key; harmless when there is none.
  public func delete<Model: StorableObject, Key: StorableKey>(
    _ model: Model.Type, _ key: Key
  ) throws(StoreError) {
    try delete(type: try bindings.binding(of: model).shape, key.dynamicValue)
  }

  /// Removes the object of a type known by name; harmless when there is none.
  public func delete(ofType type: String, key: Value) throws(StoreError) {
    try delete(type: try reader.schema.type(type), key)
  }

  /// The object with that key as this transaction sees it.
  @inlinable
  public func get<Model: StorableObject, Key: StorableKey>(
    _ model: Model.Type, _ key: Key
  ) throws(StoreError) -> Model? {
    let binding = try bindings.binding(of: model)
    guard let found = try payload(of: key.dynamicValue, binding) else { return nil }
    return try binding.decode(model, key: found.key, payload: found.payload)
  }

  /// The object that a link means as this transaction sees it; nothing for a placeholder.
  @inlinable
  public func get<Model: StorableObject>(_ link: Link<Model>) throws(StoreError) -> Model? {
    let binding = try bindings.binding(of: Model.self)
    guard !link.isPlaceholder, let found = try payload(of: link.key, binding) else { return nil }
    return try binding.decode(Model.self, key: found.key, payload: found.payload)
  }

  /// The object of a type known by name as this transaction sees it.
  public func object(ofType type: String, key: Value) throws(StoreError) -> DynamicObject? {
    guard let found = try find(try reader.schema.type(type), key) else { return nil }
    return try DynamicObject(shape: found.shape, key: found.key, payload: found.payload)
  }

  /// The objects of a type whose keys are selected; changes made after the call are not seen by the
  /// cursor.
  public func objects<Model: StorableObject>(
    _ model: Model.Type, selecting keys: KeySelection, order: KeyOrder = .ascending
  ) throws(StoreError) -> ObjectCursor<Model> {
    let binding = try bindings.binding(of: model)
    return ObjectCursor(binding: binding, dynamic: try cursor(of: binding.shape, keys, order))
  }

  /// The objects of a type known by name whose keys are selected, in the order of their keys, or
  /// against it.
  public func objects(
    ofType type: String, selecting keys: KeySelection = .all, order: KeyOrder = .ascending
  ) throws(StoreError) -> DynamicObjectCursor {
    DynamicObjectCursor(try cursor(of: try reader.schema.type(type), keys, order))
  }

  private func cursor(
    of shape: TypeShape, _ keys: KeySelection, _ order: KeyOrder
  ) throws(StoreError) -> UpgradingCursor {
    try reader.cursor(
      of: shape, keys, order, in: catalog.collections[shape.identity], from: transaction)
  }

  @usableFromInline
  func payload(
    of key: Value, _ binding: ModelBinding
  ) throws(StoreError) -> (key: Value, payload: [UInt8])? {
    try find(binding.shape, key).map { ($0.key, $0.payload) }
  }

  private func find(
    _ shape: TypeShape, _ key: Value
  ) throws(StoreError) -> (shape: TypeShape, key: Value, payload: [UInt8])? {
    let collection = catalog.collections[shape.identity]
    guard let found = try reader.find(key, of: shape, in: collection, from: transaction) else {
      return nil
    }
    if reader.schema.materialisedTypes.contains(shape.identity), let collection {
      try materialise(found, in: collection)
    }
    return found
  }

  /// Writes what the upgrade of an object that was read gives, when a step of it says so.
  ///
  /// What is too large, or a newer app's, stays as it is: a read does not fail for it, but for a
  /// transaction that outgrows its memory on a full disk. Nor is what a policy gave in place of a
  /// failed upgrade ever written (R19): the stored bytes are all there is.
  private func materialise(
    _ found: (shape: TypeShape, key: Value, payload: [UInt8]), in collection: CollectionIdentifier
  ) throws(StoreError) {
    let key = try encodeKey(found.key, found.shape)
    let stored = try StoreError.log { () throws(LogError) in
      try transaction.record(for: key, in: collection)
    }
    guard let stored, try reader.materialises(stored, in: collection) else { return }
    let upgraded: UpgradingReader.Upgraded?
    do throws(StoreError) {
      try reader.schema.newer?.check(found.shape, writing: true)
      upgraded = try reader.upgrade(stored, key: key, in: collection, of: found.shape)
    } catch {
      switch error {
      case .schema(.writtenByNewer), .schema(.migrationFailed): return
      default: throw error
      }
    }
    // Indexes refuse nothing here: the values are those that the object has already. Nor is that a
    // change for those who watch.
    do throws(StoreError) {
      if let upgraded { try put((key, upgraded.payload), as: upgraded.shape, isChange: false) }
    } catch {
      guard case .log(.limitExceeded) = error else { throw error }
    }
  }

  /// The object that lies under encoded `key`.
  private func object(_ shape: TypeShape, _ key: [UInt8]) throws(StoreError) -> DynamicObject? {
    let value = try StoreError.schema { () throws(SchemaError) in
      try KeyCoding.decode(key, as: shape.keyType)
    }
    guard let found = try find(shape, value) else { return nil }
    return try DynamicObject(shape: found.shape, key: found.key, payload: found.payload)
  }

  /// Makes sure that the catalog describes the current version: before compaction upgrades to it.
  func describeSchema() throws(StoreError) { try describe() }

  private func put(
    _ encoded: (key: [UInt8], payload: [UInt8]), as shape: TypeShape,
    hidden: [String: Value] = [:], isChange: Bool = true
  ) throws(StoreError) {
    try reader.schema.newer?.check(shape, writing: true)
    let collection = try describe(shape)
    try leaveNewerIndexes(of: shape)
    var version = reader.version(writing: shape.identity).rawValue
    var payload = encoded.payload
    if reader.schema.newer != nil {
      let old = try StoreError.log { () throws(LogError) in
        try transaction.record(for: encoded.key, in: collection)
      }
      (version, payload) = try reader.payload(
        encoded.payload, of: shape, replacing: old, key: encoded.key, in: collection)
    }
    // Indexes change first, so that nothing may refuse the object behind them.
    try StoreError.log { () throws(LogError) in
      try LogLimits.checkRecord(
        keyByteCount: encoded.key.count, payloadByteCount: payload.count)
    }
    try updateIndexes(
      of: shape, in: collection, key: encoded.key, payload: encoded.payload, hidden: hidden)
    try StoreError.log { () throws(LogError) in
      try transaction.put(
        encoded.key, in: collection, schemaVersion: version, payload: payload)
    }
    if isChange { changes?.note(encoded.key, of: shape.identity) }
  }

  /// Objects were put together.
  func noteChanges(_ records: [KeyedPayload], of shape: TypeShape) {
    changes?.note(records.lazy.map { [UInt8]($0.key) }, of: shape.identity)
  }

  /// Calls indexes of a newer version incomplete: what they shall hold of an object that this one
  /// writes, only that one can tell. It completes them again (R37).
  private func leaveNewerIndexes(of shape: TypeShape) throws(StoreError) {
    guard reader.schema.newer != nil else { return }
    let version = reader.schema.version
    func isLeft(_ index: StoredIndex) -> Bool {
      index.type == shape.identity && index.version > version && index.phase == .ready
    }
    guard catalog.indexes.contains(where: isLeft) else { return }
    try describe { (catalog) throws(StoreError) in
      for position in catalog.indexes.indices where isLeft(catalog.indexes[position]) {
        catalog.indexes[position].phase = .building
      }
    }
  }

  func delete(type shape: TypeShape, _ key: Value) throws(StoreError) {
    try reader.schema.newer?.check(shape, writing: true)
    guard let collection = catalog.collections[shape.identity] else { return }
    let keyBytes = try StoreError.lookUp(in: shape) { () throws(SchemaError) in
      try KeyCoding.encode(lookingUp: key, as: shape.keyType)
    }
    guard let keyBytes else { return }
    let mayBeThere = try updateIndexes(of: shape, in: collection, key: keyBytes, payload: nil)
    try StoreError.log { () throws(LogError) in
      try transaction.delete(keyBytes, in: collection)
    }
    if mayBeThere { changes?.note(keyBytes, of: shape.identity) }
  }

  func encodeKey(_ key: Value, _ shape: TypeShape) throws(StoreError) -> [UInt8] {
    try StoreError.schema { () throws(SchemaError) in
      try KeyCoding.encode(key, as: shape.keyType)
    }
  }

  /// Makes sure that this commit, or an earlier one, describes the type at the current version.
  func describe(_ shape: TypeShape) throws(StoreError) -> CollectionIdentifier {
    if let last = lastDescribed, last.type == shape.identity { return last.collection }
    let collection = try describedCollection(of: shape)
    lastDescribed = (shape.identity, collection)
    return collection
  }

  /// Puts the copies of what earlier commits described, unless they are there.
  func copyCatalog() throws(StoreError) {
    guard !known.isCopied, described == nil else { return }
    var copied = catalog
    try copied.putCopies(into: transaction)
    described = copied
  }

  private func describedCollection(
    of shape: TypeShape
  ) throws(StoreError) -> CollectionIdentifier {
    try copyCatalog()
    if let described {
      if hasDescribedVersion, let collection = described.collections[shape.identity] {
        return collection
      }
    } else if known.isDescribed, let collection = known.catalog.collections[shape.identity] {
      return collection
    }
    return try describe { (catalog) throws(StoreError) in
      try catalog.collection(for: shape.identity)
    }
  }

  @discardableResult
  func describe<Result>(
    _ body: (inout SchemaCatalog) throws(StoreError) -> Result = { _ in () }
  ) throws(StoreError) -> Result {
    // A copy: what could not be written must not count as described.
    var described = catalog
    described.shapes[reader.schema.version] = reader.schema.shape(describedIn: catalog)
    described.indexes = reader.schema.indexes.adopted(by: described)
    if reader.schema.recordsModels {
      described.models[reader.schema.version] = reader.schema.models
    }
    // Which takes time with the square of the history's length.
    if !hasRecordedHistory { described.record(reader.schema.ledger) }
    let result = try body(&described)
    try described.write(addedTo: catalog, into: transaction)
    self.described = described
    hasDescribedVersion = true
    hasRecordedHistory = true
    return result
  }
}
