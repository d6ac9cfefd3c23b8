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
  /// - Returns: whether the object may have been there: without an index nobody looks.
  /// - Throws: ``StoreError/notUnique(type:member:keyText:)``, or
  ///   ``StoreError/keyTooLongForIndex(type:member:byteCount:maximum:)``, before anything changes.
  @discardableResult
  func updateIndexes(
    of shape: TypeShape, in collection: CollectionIdentifier, key: [UInt8], payload: [UInt8]?,
    hidden: [String: Value] = [:]
  ) throws(StoreError) -> Bool {
    guard hasIndexes else { return true }
    let indexes = catalog.maintainedIndexes(of: shape.identity)
    guard !indexes.isEmpty else { return true }
    var changes: [(old: [[UInt8]], new: [[UInt8]], index: StoredIndex)] = []
    // Read and upgraded once for all indexes.
    var replaced: ReplacedObject?
    for index in indexes {
      // An index whose member is gone is retired by the next plan; until then it is left alone.
      // So is one whose member holds what it cannot, after a change of its type.
      guard let member = shape.members.firstIndex(where: { $0.identity == index.member }),
        IndexedValueCoding.indexedType(shape.members[member].type) != nil
      else { continue }
      let lookup = MemberLookup(
        source: transaction, reader: reader, shape: shape, collection: collection, member: member)
      guard lookup.isOfElements == index.isOfElements else { continue }
      let known = if let replaced { replaced } else { try replacedObject(key, lookup) }
      replaced = known
      let former = try formerEntries(of: key, known, lookup)
      let unknown = try unknownEntry(of: key, known, index)
      let new = try payload.map { (payload) throws(StoreError) in
        try entries(
          of: payload, at: key, lookup, index, former: former, unknown: unknown, hidden)
      }
      // Who cannot ask an index does not know either what it holds of the object.
      let mayLackOld =
        unknown != nil || index.phase == .building
        || reader.schema.indexes.outdated.contains(index.collection)
      let old = former.keys + [unknown].compactMap(\.self)
      changes.append(
        (
          Self.keys(old, without: new ?? []),
          Self.keys(new ?? [], without: mayLackOld ? [] : former.keys), index
        ))
    }
    try StoreError.log { () throws(LogError) in
      for (old, new, index) in changes {
        for key in old { try transaction.delete(key, in: index.collection) }
        for key in new {
          try transaction.put(key, in: index.collection, schemaVersion: 0, payload: [])
        }
      }
    }
    if case .absent? = replaced { return false }
    return true
  }

  /// The keys that an index shall hold of an object: one, or one for each different element of a
  /// list. Where one would be too long that was there before, the key that says that the object's
  /// value is not known stays, if it is there.
  private func entries(
    of payload: [UInt8], at key: [UInt8], _ lookup: MemberLookup, _ index: StoredIndex,
    former: FormerEntries, unknown: [UInt8]?, _ hidden: [String: Value]
  ) throws(StoreError) -> [[UInt8]] {
    let shape = lookup.shape
    let member = shape.members[lookup.member].name
    let found = (shape, try reader.decodeKey(key, shape), payload)
    var entries: [[UInt8]] = []
    for value in try lookup.indexedValues(found) {
      let cut = IndexedValueCoding.encode(value)
      let entry = IndexedValueCoding.entry(cut, key: key)
      // Long values are cut in indexes, so only whole ones tell whether the value changed.
      if !former.values.contains(IndexedValueCoding.encode(value, cutting: false)) {
        guard entry != nil else {
          throw .keyTooLongForIndex(
            type: shape.name, member: member, byteCount: key.count,
            maximum: LogLimits.keyByteCount - cut.count)
        }
        if index.isUnique, !value.isNull, hidden[member] != value {
          try checkUnique(value, at: key, lookup, index)
        }
      }
      if let entry = entry ?? unknown ?? former.unknown { entries.append(entry) }
    }
    return Self.different(entries)
  }

  private static func keys(_ keys: [[UInt8]], without others: [[UInt8]]) -> [[UInt8]] {
    if others.count < 8 { return keys.filter { !others.contains($0) } }
    let others = Set(others)
    return keys.filter { !others.contains($0) }
  }

  /// Each of `keys` once, in their order; a list may have an element twice.
  private static func different(_ keys: [[UInt8]]) -> [[UInt8]] {
    keys.count > 1 ? Set(keys).sorted { $0.lexicographicallyPrecedes($1) } : keys
  }

  /// What a change replaces.
  private enum ReplacedObject {
    /// There was no object.
    case absent
    /// Nothing when a step drops it.
    case object(MemberLookup.Found?)
    /// A step fails for it, or its record is damaged: then keys with its values stay, as hints that
    /// lead to nothing.
    case failing
  }

  private func replacedObject(
    _ key: [UInt8], _ lookup: MemberLookup
  ) throws(StoreError) -> ReplacedObject {
    do throws(StoreError) {
      guard let record = try lookup.record(key) else { return .absent }
      return .object(try lookup.object(key, record))
    } catch .log(let error) {
      guard error.damage != nil else { throw .log(error) }
      return .failing
    } catch { return .failing }
  }

  /// What an index holds of an object as it is now.
  private struct FormerEntries {
    /// Its keys, but for those that would be too long: then the object was stored before there was
    /// the index.
    var keys: [[UInt8]] = []
    /// The key of an object whose upgrade fails, if it is not too long.
    var unknown: [UInt8]?
    /// Its whole values, as far as they are known.
    var values: Set<[UInt8]> = []
  }

  private func formerEntries(
    of key: [UInt8], _ replaced: ReplacedObject, _ lookup: MemberLookup
  ) throws(StoreError) -> FormerEntries {
    var former = FormerEntries()
    do throws(StoreError) {
      switch replaced {
      case .absent, .object(nil): return former
      case .failing: break
      case .object(let found?):
        let values = try lookup.indexedValues(found)
        former.keys = Self.different(
          values.compactMap { value in
            IndexedValueCoding.entry(IndexedValueCoding.encode(value), key: key)
          })
        former.values = Set(values.map { IndexedValueCoding.encode($0, cutting: false) })
        return former
      }
    } catch .log(let error) {
      throw .log(error)
    } catch {}
    former.unknown = IndexedValueCoding.entry(IndexedValueCoding.unknown, key: key)
    former.keys = [former.unknown].compactMap(\.self)
    do throws(StoreError) {
      // Other members may make it fail. Keys with this value stay as above, where there are any.
      let known = try lookup.knownValue(ofObjectAt: key)
      let values = known.map { IndexedValueCoding.values(in: $0, ofElements: lookup.isOfElements) }
      former.values = Set(values?.map { IndexedValueCoding.encode($0, cutting: false) } ?? [])
    } catch .log(let error) {
      guard error.damage != nil else { throw .log(error) }
    }
    return former
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

  /// Throws when another object has `value`, whatever version it was written under (R38); takes a
  /// note instead where nothing is refused, and the index counts as complete.
  private func checkUnique(
    _ value: Value, at key: [UInt8], _ lookup: MemberLookup, _ index: StoredIndex
  ) throws(StoreError) {
    let plan = reader.schema.indexes
    let usable = plan.usable(
      index.member, of: index.type, isOfElements: index.isOfElements, in: catalog)
    if !refusesDuplicates {
      if let usable { sharedValues.note(value, lookup, usable) }
      return
    }
    // A tool that does not know the history cannot tell what values older objects have.
    guard usable != nil || plan.modelTypes.contains(index.type) else { return }
    // What a policy gives in place of an object is no value that it has; what it is known to hold
    // is, as a later release may be able to upgrade it.
    let walk = try MatchWalk(
      lookup, .equal(to: value), index: usable, order: .ascending, without: key)
    guard let other = try walk.nextKnown() else { return }
    throw .notUnique(
      type: lookup.shape.name, member: lookup.shape.members[lookup.member].name,
      keyText: KeyCoding.text(of: try reader.decodeKey(other.key, lookup.shape)))
  }
}
