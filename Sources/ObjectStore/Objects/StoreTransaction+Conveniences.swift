internal import LogStore
internal import SchemaRegistry

extension StoreTransaction {
  /// Stores an object whose key no other object has; ``put(_:)`` replaces the one that has it.
  ///
  /// Costs looking the key up besides.
  /// - Throws: ``StoreError/alreadyExists(type:keyText:)`` when there is an object with the key,
  ///   also one that cannot be read; nothing was changed. Besides, what ``put(_:)`` throws.
  public func insert<Model: StorableObject>(_ object: consuming Model) throws(StoreError) {
    let binding = try bindings.binding(of: Model.self)
    let encoded = try binding.encode(object)
    if let keyText = try keyText(ofObjectAt: encoded.key, binding.shape) {
      throw .alreadyExists(type: binding.shape.name, keyText: keyText)
    }
    try put(encoded, as: binding)
  }

  /// The key of the object that lies under `key`, for people; nothing when there is none, or a step
  /// drops it.
  private func keyText(
    ofObjectAt key: [UInt8], _ shape: TypeShape
  ) throws(StoreError) -> String? {
    guard let collection = catalog.collections[shape.identity] else { return nil }
    let found = try StoreError.log { () throws(LogError) in
      try transaction.record(for: key, in: collection)
    }
    guard let found else { return nil }
    do throws(StoreError) {
      guard try reader.upgrade(found, key: key, in: collection, of: shape) != nil else {
        return nil
      }
    } catch .log(let error) { throw .log(error) } catch {
      // It is there, whether it can be read or not.
    }
    return KeyCoding.text(of: try reader.decodeKey(key, shape))
  }

  /// Removes the object with the key of `object`, whatever else it holds; harmless when there is
  /// none.
  ///
  /// - Throws: what ``delete(_:_:)`` throws.
  public func delete<Model: StorableObject>(_ object: Model) throws(StoreError) {
    let shape = try bindings.binding(of: Model.self).shape
    var (object, visitor) = (object, KeyTypeVisitor(Model.primaryKey))
    try object.visitMembers(&visitor)
    try delete(type: shape, visitor.value)
  }

  /// Removes all objects of a type, those too that cannot be upgraded; returns how many there were.
  ///
  /// Reads all their keys, and, where the type has indexes, the objects; damaged ones go, too,
  /// and are counted, as are those that an upgrade would drop. Memory is that of any
  /// transaction: one that is large goes to disk before it is committed.
  /// - Throws: what ``delete(_:_:)`` throws.
  @discardableResult
  public func deleteAll<Model: StorableObject>(
    of model: Model.Type
  ) throws(StoreError) -> Int {
    try deleteAll(of: try bindings.binding(of: model).shape)
  }

  /// The same of a type that is known by its shape, for objects whose key is `chosen`.
  @discardableResult
  func deleteAll(
    of shape: TypeShape, where chosen: (Value) throws(StoreError) -> Bool = { _ in true }
  ) throws(StoreError) -> Int {
    guard let collection = catalog.collections[shape.identity] else { return 0 }
    let cursor = try reader.cursor(of: shape, .all, .ascending, in: collection, from: transaction)
    var count = 0
    while let key = try cursor.nextKey() {
      guard try chosen(key) else { continue }
      try delete(type: shape, key)
      count += 1
    }
    return count
  }

  /// Removes the objects whose member called `member` holds `value`; returns how many there were.
  ///
  /// Costs what ``ObjectReading/objects(_:where:equals:order:)`` costs: a look-up where the member
  /// has an index, else reading all objects of the type and keeping the keys of those that match.
  ///
  /// An object whose upgrade fails, and that a ``FailurePolicy/fallback(_:)`` stands in for, goes
  /// where what is shown has the value, and what is stored is known to have one that is looked for.
  /// Where nobody knows that, it stays: delete it by its key.
  /// - Throws: what looking them up and what ``delete(_:_:)`` throws, for the first object that
  ///   cannot be read, too; those before it are removed.
  @discardableResult
  public func delete<Model: StorableObject>(
    _ model: Model.Type, where member: String, equals value: some StorableValue
  ) throws(StoreError) -> Int {
    try delete(model, where: member, selecting: .equal(toGiven: value))
  }

  /// Removes the objects whose member called `member` holds a value in a range; returns how many
  /// there were. Costs and throws what ``delete(_:where:equals:)`` does.
  @discardableResult
  public func delete<Model: StorableObject>(
    _ model: Model.Type, where member: String, in values: some ValueRangeExpression
  ) throws(StoreError) -> Int {
    try delete(model, where: member, selecting: values.memberSelection)
  }

  /// Removes the objects whose member called `member`, a list or set, contains `element`; returns
  /// how many there were. Costs and throws what ``delete(_:where:equals:)`` does.
  @discardableResult
  public func delete<Model: StorableObject>(
    _ model: Model.Type, where member: String, contains element: some StorableValue
  ) throws(StoreError) -> Int {
    try delete(model, where: member, selecting: .containing(given: element))
  }

  /// Removes the objects whose member called `member` holds a selected value; returns how many
  /// there were. Costs and throws what ``delete(_:where:equals:)`` does.
  @discardableResult
  public func delete<Model: StorableObject>(
    _ model: Model.Type, where member: String, selecting values: MemberSelection
  ) throws(StoreError) -> Int {
    let shape = try bindings.binding(of: model).shape
    let cursor = try objectsToDelete(model, where: member, selecting: values)
    var count = 0
    // Behind the cursor: it reads the object of each key when it comes to it.
    while let found = try cursor.nextFound() {
      try delete(type: shape, found.key)
      count += 1
    }
    return count
  }
}
