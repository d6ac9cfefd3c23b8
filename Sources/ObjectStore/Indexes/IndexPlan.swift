internal import BinaryCoding
internal import LogStore
internal import SchemaRegistry

/// What was decided about indexes when the store was opened: which there shall be, and which of the
/// stored ones still hold what objects are now (H6). The first write puts it into the catalog.
struct IndexPlan: Sendable {
  struct Declared: Sendable {
    let type: TypeIdentity
    let member: MemberIdentity
    let isUnique: Bool
    /// Whether it is of the elements of lists.
    let isOfElements: Bool
    /// How values of objects written now and of older ones are computed.
    let fingerprint: ShapeFingerprint
  }

  var version: SchemaVersion = 0
  var declared: [Declared] = []
  /// The types whose declared indexes are all there shall be; those of other types are kept.
  var modelTypes = SortedTable<TypeIdentity, Void>()
  /// Collections of stored indexes that must not be asked.
  var outdated: Set<CollectionIdentifier> = []
  /// Collections of stored indexes whose type or member a version of the history removed.
  var removed: Set<CollectionIdentifier> = []
  /// Types whose members hold something else for the newer app that wrote to the store: their
  /// indexes are that app's, and this one neither makes nor retires any.
  var changedByNewer: Set<TypeIdentity> = []

  /// The catalog's indexes once the plan is in force; the same when it is already.
  func adopted(by catalog: SchemaCatalog) -> [StoredIndex] {
    var result = catalog.indexes
    for position in result.indices where result[position].phase != .retired {
      let index = result[position]
      if removed.contains(index.collection) {
        result[position].phase = .retired
        continue
      }
      // Those of a newer version hold what only that knows; a write calls them incomplete.
      guard modelTypes.contains(index.type), !changedByNewer.contains(index.type),
        index.version <= version
      else { continue }
      let wanted = declared.first { $0.type == index.type && $0.member == index.member }
      if let wanted, !outdated.contains(index.collection),
        wanted.isOfElements == index.isOfElements
      {
        // Who completes it again is told of values that objects share already.
        let mayShare = wanted.isUnique && !index.isUnique && catalog.collections[index.type] != nil
        if mayShare { result[position].phase = .building }
        result[position].isUnique = wanted.isUnique
      } else {
        result[position].phase = .retired
      }
    }
    var highest = catalog.highestCollection
    for wanted in declared where !changedByNewer.contains(wanted.type) {
      let isThere = result.contains {
        $0.type == wanted.type && $0.member == wanted.member && $0.phase != .retired
      }
      // Without a number left there is no index, and look-ups read all objects.
      guard !isThere, highest + 1 < CollectionIdentifier.catalogCopies.rawValue else { continue }
      highest += 1
      result.append(
        StoredIndex(
          type: wanted.type, member: wanted.member, collection: CollectionIdentifier(highest),
          isUnique: wanted.isUnique, isOfElements: wanted.isOfElements,
          // A type without a collection has no object that the index could lack.
          phase: catalog.collections[wanted.type] == nil ? .ready : .building, version: version,
          fingerprint: wanted.fingerprint))
    }
    return result
  }

  /// The index to ask for objects by a member's value, or by an element of its list; nothing while
  /// it is not complete, nor when the first write retires it: a snapshot may see that write and a
  /// catalog from before it.
  func usable(
    _ member: MemberIdentity, of type: TypeIdentity, isOfElements: Bool, in catalog: SchemaCatalog
  ) -> StoredIndex? {
    let isKept =
      !modelTypes.contains(type)
      || declared.contains { $0.type == type && $0.member == member }
    guard isKept else { return nil }
    return catalog.indexes.first {
      $0.type == type && $0.member == member && $0.isOfElements == isOfElements
        && $0.phase == .ready
        && !outdated.contains($0.collection)
    }
  }
}
