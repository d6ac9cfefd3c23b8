public import LogStore

/// What a snapshot and a transaction have in common: the ways to ask for many objects.
public protocol ObjectReading {
  /// The objects of a type whose keys are selected.
  func objects<Model: StorableObject>(
    _ model: Model.Type, selecting keys: KeySelection, order: KeyOrder
  ) throws(StoreError) -> ObjectCursor<Model>
  /// The objects whose member called `member` holds a selected value.
  func objects<Model: StorableObject>(
    _ model: Model.Type, where member: String, selecting values: MemberSelection, order: KeyOrder
  ) throws(StoreError) -> MatchCursor<Model>
}

extension ObjectReading {
  /// The objects of a type in the order of their keys, or against it.
  public func objects<Model: StorableObject>(
    _ model: Model.Type, order: KeyOrder = .ascending
  ) throws(StoreError) -> ObjectCursor<Model> {
    try objects(model, selecting: .all, order: order)
  }

  /// The objects of a type whose keys are in a range: `10..<20`, `"a"...`.
  public func objects<Model: StorableObject>(
    _ model: Model.Type, in keys: some KeyRangeExpression, order: KeyOrder = .ascending
  ) throws(StoreError) -> ObjectCursor<Model> {
    try objects(model, selecting: keys.keySelection, order: order)
  }

  /// The objects of a type with a string key that starts with `prefix`, byte for byte.
  public func objects<Model: StorableObject>(
    _ model: Model.Type, prefix: String, order: KeyOrder = .ascending
  ) throws(StoreError) -> ObjectCursor<Model> {
    try objects(model, selecting: .prefix(prefix), order: order)
  }

  /// The objects of a type behind that of `key`, or where it would be, in the cursor's order: a
  /// page begins behind the last key of the page before, and the first page behind nil.
  public func objects<Model: StorableObject, Key: StorableKey>(
    _ model: Model.Type, after key: Key?, order: KeyOrder = .ascending
  ) throws(StoreError) -> ObjectCursor<Model> {
    guard let key else { return try objects(model, order: order) }
    let bound = KeySelection.Bound.excluding(key.dynamicValue)
    let rest =
      order == .ascending ? KeySelection(from: bound) : KeySelection(from: .unbounded, to: bound)
    return try objects(model, selecting: rest, order: order)
  }

  /// The objects whose member called `member` holds `value`.
  ///
  /// - Throws: ``StoreError/invalidLookup(type:member:reason:)`` when the model has no such member,
  ///   or one that cannot hold the value: -1 in a `UInt64`, or 2^63 in an `Int`.
  public func objects<Model: StorableObject>(
    _ model: Model.Type, where member: String, equals value: some StorableValue,
    order: KeyOrder = .ascending
  ) throws(StoreError) -> MatchCursor<Model> {
    try objects(model, where: member, selecting: .equal(toGiven: value), order: order)
  }

  /// The objects whose member called `member` holds a value in a range: `18...`, `"a"..<"b"`.
  ///
  /// - Throws: ``StoreError/invalidLookup(type:member:reason:)`` when the model has no such member,
  ///   or one of which there are no ranges: a list, or a `UInt64`.
  public func objects<Model: StorableObject>(
    _ model: Model.Type, where member: String, in values: some ValueRangeExpression,
    order: KeyOrder = .ascending
  ) throws(StoreError) -> MatchCursor<Model> {
    try objects(model, where: member, selecting: values.memberSelection, order: order)
  }

  /// The objects whose member called `member`, a list or set, contains `element`, in the order of
  /// their keys; an object comes once.
  public func objects<Model: StorableObject>(
    _ model: Model.Type, where member: String, contains element: some StorableValue,
    order: KeyOrder = .ascending
  ) throws(StoreError) -> MatchCursor<Model> {
    try objects(model, where: member, selecting: .containing(given: element), order: order)
  }
}

extension StoreSnapshot: ObjectReading {}
extension StoreTransaction: ObjectReading {}
