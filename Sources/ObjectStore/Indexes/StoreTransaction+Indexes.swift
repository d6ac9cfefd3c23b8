internal import LogStore
internal import SchemaRegistry

/// Keeping indexes in step with objects, in the same commit.
extension StoreTransaction {
  /// Puts the object's keys into the indexes of its type and takes those of the object that it
  /// replaces out; `payload` is nothing when the object goes.
  ///
  /// What an object had already is never refused. Nor are the values in `hidden`, those of members
  /// that the app does not know: it could not choose others.
  ///
  /// - Throws: ``StoreError/notUnique(type:member:keyText:)``, or
  ///   ``StoreError/keyTooLongForIndex(type:member:byteCount:maximum:)``, before anything changes.
  func updateIndexes(
    of shape: TypeShape, in collection: CollectionIdentifier, key: [UInt8], payload: [UInt8]?,
    hidden: [String: Value] = [:]
  ) throws(StoreError) {
    guard hasIndexes else { return }
    let indexes = catalog.maintainedIndexes(of: shape.identity)
    guard !indexes.isEmpty else { return }
    var changes: [(index: StoredIndex, old: [[UInt8]], new: [UInt8]?)] = []
    // Read and upgraded once for all indexes.
    var replaced: ReplacedObject?
    for index in indexes {
      // An index whose member is gone is retired by the next plan; until then it is left alone.
      // So is one whose member holds what no index can, after a change of its type.
      guard let member = shape.members.firstIndex(where: { $0.identity == index.member }),
        IndexedValueCoding.isIndexable(shape.members[member].type)
      else { continue }
      let lookup = MemberLookup(
        source: transaction, reader: reader, shape: shape, collection: collection, member: member)
      let known = if let replaced { replaced } else { try replacedObject(key, lookup) }
      replaced = known
      let (old, former) = try formerEntry(of: key, known, lookup)
      let new = try payload.flatMap { (payload) throws(StoreError) in
        try entry(of: payload, at: key, lookup, index, former: former, hidden)
      }
      let unknown = try unknownEntry(of: key, known, index)
      // Who cannot ask an index does not know either what it holds of the object.
      let mayLackOld =
        unknown != nil || index.phase == .building
        || reader.schema.indexes.outdated.contains(index.collection)
      if old != new || mayLackOld {
        changes.append((index, [old, unknown].compactMap(\.self), new))
      }
    }
    try StoreError.log { () throws(LogError) in
      for (index, old, new) in changes {
        for old in old where old != new { try transaction.delete(old, in: index.collection) }
        if let new {
          try transaction.put(new, in: index.collection, schemaVersion: 0, payload: [])
        }
      }
    }
  }

  /// The key that an index shall hold of an object; nothing when it would be too long, as before.
  private func entry(
    of payload: [UInt8], at key: [UInt8], _ lookup: MemberLookup, _ index: StoredIndex,
    former: [UInt8]?, _ hidden: [String: Value]
  ) throws(StoreError) -> [UInt8]? {
    let shape = lookup.shape
    let value = try lookup.value((shape, try reader.decodeKey(key, shape), payload))
    let cut = IndexedValueCoding.encode(value)
    let entry = IndexedValueCoding.entry(cut, key: key)
    // Long values are cut in indexes, so only whole ones tell whether the value changed.
    if IndexedValueCoding.encode(value, cutting: false) == former { return entry }
    let member = shape.members[lookup.member].name
    guard let entry else {
      throw .keyTooLongForIndex(
        type: shape.name, member: member, byteCount: key.count,
        maximum: LogLimits.keyByteCount - cut.count)
    }
    if index.isUnique, refusesDuplicates, !value.isNull, hidden[member] != value {
      try checkUnique(value, at: key, lookup, index)
    }
    return entry
  }

  /// What a change replaces.
  private enum ReplacedObject {
    /// Nothing when there was no object.
    case object(MemberLookup.Found?)
    /// A step fails for it.
    case failing
  }

  private func replacedObject(
    _ key: [UInt8], _ lookup: MemberLookup
  ) throws(StoreError) -> ReplacedObject {
    do throws(StoreError) { return .object(try lookup.object(key)) } catch .log(let error) {
      throw .log(error)
    } catch { return .failing }
  }

  /// The key that an index holds of the object as it is now, and its whole value; nothing when
  /// there is none. The key is nothing, too, when it would be too long: then the object was stored
  /// before there was the index. The value is, when the object cannot be upgraded.
  private func formerEntry(
    of key: [UInt8], _ replaced: ReplacedObject, _ lookup: MemberLookup
  ) throws(StoreError) -> (entry: [UInt8]?, value: [UInt8]?) {
    do throws(StoreError) {
      if case .object(let found) = replaced {
        guard let found else { return (nil, nil) }
        let value = try lookup.value(found)
        return (
          IndexedValueCoding.entry(IndexedValueCoding.encode(value), key: key),
          IndexedValueCoding.encode(value, cutting: false)
        )
      }
    } catch .log(let error) {
      throw .log(error)
    } catch {}
    return (IndexedValueCoding.entry(IndexedValueCoding.unknown, key: key), nil)
  }

  /// The key that says that the object's value is not known, where who made the index could not
  /// upgrade the object, and this app can. Those that it cannot upgrade either have it anyway.
  private func unknownEntry(
    of key: [UInt8], _ replaced: ReplacedObject, _ index: StoredIndex
  ) throws(StoreError) -> [UInt8]? {
    guard case .object(_?) = replaced,
      let entry = IndexedValueCoding.entry(IndexedValueCoding.unknown, key: key)
    else { return nil }
    let isThere = try StoreError.log { () throws(LogError) in
      try transaction.record(for: entry, in: index.collection) != nil
    }
    return isThere ? entry : nil
  }

  /// Throws when another object has `value`, whatever version it was written under (R38).
  private func checkUnique(
    _ value: Value, at key: [UInt8], _ lookup: MemberLookup, _ index: StoredIndex
  ) throws(StoreError) {
    let plan = reader.schema.indexes
    let usable = plan.usable(index.member, of: index.type, in: catalog)
    // A tool that does not know the history cannot tell what values older objects have.
    guard usable != nil || plan.modelTypes.contains(index.type) else { return }
    let walk = try MatchWalk(lookup, .equal(to: value), index: usable, order: .ascending)
    while true {
      let found: MemberLookup.Found?
      do throws(StoreError) { found = try walk.next() } catch .log(let error) {
        throw .log(error)
      } catch { continue }  // Its value is not known, so it is not this one.
      guard let found else { return }
      let keyType = lookup.shape.keyType
      let other = try StoreError.schema { () throws(SchemaError) in
        try KeyCoding.encode(found.key, as: keyType)
      }
      guard other == key else {
        throw .notUnique(
          type: lookup.shape.name, member: lookup.shape.members[lookup.member].name,
          keyText: KeyCoding.text(of: found.key))
      }
    }
  }
}
