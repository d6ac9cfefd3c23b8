internal import LogStore
internal import SchemaRegistry

extension IndexPlan {
  /// The plan of a store that is opened with `models` under the last version of `history`.
  ///
  /// A stored index is outdated when the operations up to its version were edited, or when a later
  /// one changes what its member holds: a fill, a conversion, or code that may do anything. So is
  /// one from before the history's base, of which it does not know what followed, and one of a type
  /// that a newer app sees in another way, which keeps the index up, too. Where no newer app wrote,
  /// what the history removed has no index any more, whether there are models or not.
  init(
    models: [any StorableObject.Type], shape: SchemaShape, history: SchemaHistory,
    catalog: SchemaCatalog, newer: NewerVersions?
  ) throws(StoreError) {
    try self.init(models: models, shape: shape) { (type) throws(StoreError) in
      history.fingerprint(of: type, through: shape.version)
    }
    if let newer {
      changedByNewer = Set(
        shape.types.filter { newer.changesValues(of: $0, in: catalog) }.map(\.identity))
    }
    for index in catalog.indexes where index.phase != .retired {
      if newer == nil, history.hasRemoved(index, in: shape) { removed.insert(index.collection) }
      let isSame =
        history.knows(index.type)
        && (history.base.version...shape.version).contains(index.version)
        && history.fingerprint(of: index.type, through: index.version) == index.fingerprint
      let isChanged = history.changesValues(
        of: index.member, in: index.type, after: index.version, through: shape.version)
      if !isSame || isChanged || changedByNewer.contains(index.type) {
        outdated.insert(index.collection)
      }
    }
  }

  /// What `models` declare; nothing is known of stored indexes yet.
  init(
    models: [any StorableObject.Type], shape: SchemaShape,
    fingerprint: (TypeIdentity) throws(StoreError) -> ShapeFingerprint
  ) throws(StoreError) {
    version = shape.version
    for model in models {
      guard let type = shape.type(named: model.typeName) else { continue }
      modelTypes.insert(type.identity)
      for declaration in model.indexes {
        guard let member = type.index(ofMember: declaration.member), member != type.keyIndex else {
          throw .invalidIndex(
            type: type.name, member: declaration.member,
            reason: "the type has no such member besides its key; correct the name")
        }
        let held = type.members[member].type
        guard IndexedValueCoding.indexedType(held) != nil else {
          throw .notIndexable(type: type.name, member: declaration.member, holds: held)
        }
        let isOfElements = !IndexedValueCoding.isIndexable(held)
        guard !isOfElements || !declaration.isUnique else {
          throw .invalidIndex(
            type: type.name, member: declaration.member,
            reason: "it holds \(held), and no list is unique; declare an index that is not")
        }
        declare(
          Declared(
            type: type.identity, member: type.members[member].identity,
            isUnique: declaration.isUnique, isOfElements: isOfElements,
            fingerprint: try fingerprint(type.identity)))
      }
    }
  }

  /// Adds an index; a member that has one already keeps that, which is unique if either is.
  private mutating func declare(_ index: Declared) {
    let known = declared.firstIndex { $0.type == index.type && $0.member == index.member }
    guard let known else { return declared.append(index) }
    if index.isUnique { declared[known] = index }
  }

  /// The plan of a store that is opened as it is stored: indexes are kept up, but not asked, as
  /// they may hold values that only the application's history gives.
  init(keeping catalog: SchemaCatalog) {
    outdated = Set(catalog.indexes.map(\.collection))
  }
}

extension SchemaHistory {
  /// Whether a version removed what an index is of; `shape` is the last one.
  fileprivate func hasRemoved(_ index: StoredIndex, in shape: SchemaShape) -> Bool {
    guard let type = shape.type(index.type) else { return !isForeign(index.type) }
    return knows(index.type) && !type.members.contains { $0.identity == index.member }
  }
}
