public import LogStore
internal import SchemaRegistry

/// Looking objects up by the value of a member.
///
/// A member with a complete index is looked up in it; for any other all objects of the type are
/// read, with the same result. Values are those of the current schema version, whatever version the
/// objects were written under.
extension StoreSnapshot {
  /// The objects whose member called `member` holds a selected value.
  public func objects<Model: StorableObject>(
    _ model: Model.Type, where member: String, selecting values: MemberSelection,
    order: KeyOrder = .ascending
  ) throws(StoreError) -> MatchCursor<Model> {
    let binding = try bindings.binding(of: model)
    try binding.check(values, of: member, in: model)
    return MatchCursor(binding: binding, walk: try walk(binding.shape, member, values, order))
  }

  /// The objects of a type known by name whose member holds a selected value.
  public func objects(
    ofType type: String, where member: String, selecting values: MemberSelection,
    order: KeyOrder = .ascending
  ) throws(StoreError) -> DynamicMatchCursor {
    DynamicMatchCursor(walk: try walk(try reader.schema.type(type), member, values, order))
  }

  private func walk(
    _ shape: TypeShape, _ member: String, _ values: MemberSelection, _ order: KeyOrder
  ) throws(StoreError) -> MatchWalk? {
    // Objects are read later, and the walk goes on as one by key does, however old the snapshot is.
    let source = try StoreError.log { () throws(LogError) in try snapshot.withoutAgeLimit() }
    // The reader's collection, as for walks: the snapshot may have the first object of a type, and
    // its catalog, which is no newer, may not.
    return try MatchWalk.make(
      source: source, reader: reader, catalog: catalog, shape: shape,
      collection: reader.collection(of: shape), member: member, selecting: values, order: order)
  }
}

extension StoreTransaction {
  /// The objects whose member holds a selected value, as this transaction sees them; changes made
  /// later are not seen.
  public func objects<Model: StorableObject>(
    _ model: Model.Type, where member: String, selecting values: MemberSelection,
    order: KeyOrder = .ascending
  ) throws(StoreError) -> MatchCursor<Model> {
    let binding = try bindings.binding(of: model)
    try binding.check(values, of: member, in: model)
    return MatchCursor(binding: binding, walk: try walk(binding.shape, member, values, order))
  }

  /// The objects of a type known by name whose member holds a selected value, as this transaction
  /// sees them; changes made later are not seen.
  public func objects(
    ofType type: String, where member: String, selecting values: MemberSelection,
    order: KeyOrder = .ascending
  ) throws(StoreError) -> DynamicMatchCursor {
    DynamicMatchCursor(walk: try walk(try reader.schema.type(type), member, values, order))
  }

  /// The objects that a deletion by a member's value removes: one that a policy stands in for only
  /// where it is known to hold such a value.
  func objectsToDelete<Model: StorableObject>(
    _ model: Model.Type, where member: String, selecting values: MemberSelection
  ) throws(StoreError) -> MatchCursor<Model> {
    let binding = try bindings.binding(of: model)
    try binding.check(values, of: member, in: model)
    let walk = try walk(binding.shape, member, values, .ascending)
    walk?.givesMadeUpMatches = false
    return MatchCursor(binding: binding, walk: walk)
  }

  private func walk(
    _ shape: TypeShape, _ member: String, _ values: MemberSelection, _ order: KeyOrder
  ) throws(StoreError) -> MatchWalk? {
    try MatchWalk.make(
      source: transaction.snapshot(), reader: reader, catalog: catalog, shape: shape,
      collection: catalog.collections[shape.identity], member: member, selecting: values,
      order: order)
  }
}

extension MatchWalk {
  /// The walk through the index of a member, or through all objects; nothing when there are none.
  static func make(
    source: any RecordSource, reader: UpgradingReader, catalog: SchemaCatalog, shape: TypeShape,
    collection: CollectionIdentifier?, member name: String, selecting values: MemberSelection,
    order: KeyOrder
  ) throws(StoreError) -> MatchWalk? {
    try reader.schema.newer?.check(shape, writing: false)
    guard let member = shape.index(ofMember: name) else {
      let names = shape.members.map(\.name).sorted().joined(separator: ", ")
      throw .invalidLookup(
        type: shape.name, member: name,
        reason: "the type has no such member, but \(names); correct the name")
    }
    try values.check(shape.members[member].type, of: name, in: shape)
    guard let collection else { return nil }
    let lookup = MemberLookup(
      source: source, reader: reader, shape: shape, collection: collection, member: member)
    let index = reader.schema.indexes.usable(
      shape.members[member].identity, of: shape.identity, isOfElements: lookup.isOfElements,
      in: catalog)
    return try MatchWalk(lookup, values, index: index, order: order)
  }
}
