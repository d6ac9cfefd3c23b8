internal import BinaryCoding
internal import LogStore
internal import SchemaRegistry

/// Finds the objects of one type by the value of a member: through an index where there is one that
/// is complete, else by reading all of them. Both give the same objects in the same order (R37).
///
/// A key of an index is a hint: the object is read, upgraded, and its value compared. So keys that
/// outlived their object, or its value, do no harm; none may be missing.
struct MemberLookup {
  typealias Found = (shape: TypeShape, key: Value, payload: [UInt8])

  let source: any RecordSource
  let reader: UpgradingReader
  let shape: TypeShape
  let collection: CollectionIdentifier
  let member: Int

  private var type: FieldType { shape.members[member].type }

  /// Whether the member holds a list, by whose elements objects are looked up.
  var isOfElements: Bool { !IndexedValueCoding.isIndexable(type) }

  /// The values of an object that an index has keys for.
  func indexedValues(_ found: Found) throws(StoreError) -> [Value] {
    IndexedValueCoding.values(in: try value(found), ofElements: isOfElements)
  }

  /// The object whose key has these bytes; throws when a step fails for it, whatever the policy of
  /// its type: what a policy gives is in no index, as the next opening may have another one.
  func object(_ key: [UInt8]) throws(StoreError) -> Found? {
    guard let record = try record(key) else { return nil }
    return try object(key, record)
  }

  /// The same of its record; nothing where a step drops it.
  func object(_ key: [UInt8], _ record: StoredRecord) throws(StoreError) -> Found? {
    try reader.upgrade(record, key: key, in: collection, of: shape)
  }

  /// What readers get for an object that a step failed for, when it is selected; with `onlyKnown`
  /// nothing where a policy made all of it up.
  func failingObject(
    _ key: [UInt8], selecting selection: MemberSelection, onlyKnown: Bool
  ) throws(StoreError) -> Found? {
    guard let record = try record(key) else { return nil }
    do throws(StoreError) {
      guard let found = try reader.read(record, key: key, in: collection, of: shape) else {
        return nil
      }
      if onlyKnown, knownValue(key, record) == nil { return nil }
      return selection.contains(try value(found)) ? found : nil
    } catch {
      if reader.skips(error, shape) { return nil }
      throw error
    }
  }

  func record(_ key: [UInt8]) throws(StoreError) -> StoredRecord? {
    try StoreError.log { () throws(LogError) in try source.record(for: key, in: collection) }
  }

  /// What the member of the object with that key holds, whether it can be upgraded or not; nothing
  /// where that is not known, or there is no object.
  func knownValue(ofObjectAt key: [UInt8]) throws(StoreError) -> Value? {
    guard let record = try record(key) else { return nil }
    do throws(StoreError) { return try value(key, record) } catch {
      return knownValue(key, record)
    }
  }

  /// What the member of an object holds that cannot be upgraded; nothing where that is not known.
  private func knownValue(_ key: [UInt8], _ record: StoredRecord) -> Value? {
    reader.knownValue(ofMember: member, in: record, key: key, in: collection, of: shape)
  }

  /// The same of one that can be; nothing where a step drops it. It is upgraded no further than is
  /// enough to tell.
  private func value(_ key: [UInt8], _ record: StoredRecord) throws(StoreError) -> Value? {
    try reader.value(
      ofMember: member, in: record, key: key, in: collection, of: shape, orElse: value)
  }

  /// What the member of an object holds. An object in another shape, of a store that is opened as
  /// it is stored, may not have the member; where it has the member with another type, what it
  /// will hold once it is upgraded is not known, and it counts as an object that cannot be.
  ///
  /// - Throws: ``StoreError/invalidLookup(type:member:reason:)`` for such an object.
  func value(_ found: Found) throws(StoreError) -> Value {
    let identity = shape.members[member].identity
    guard let index = found.shape.members.firstIndex(where: { $0.identity == identity }) else {
      return .null
    }
    let stored = found.shape.members[index].type
    guard IndexedValueCoding.isAlike(stored, type) else {
      throw .invalidLookup(
        type: shape.name, member: shape.members[member].name,
        reason: "an object holds \(stored), and \(type) is looked up; "
          + "open the store with its history")
    }
    let (payload, key, shape) = (found.payload, found.key, found.shape)
    return try StoreError.schema { () throws(SchemaError) in
      try payload.withBytes { (bytes: UnsafeRawBufferPointer) throws(SchemaError) in
        try RecordPayload.value(ofMember: index, in: bytes, key: key, shape: shape)
      }
    }
  }

  /// The value and the object's key that a key of the index is made of.
  func parts(
    ofIndexKey bytes: [UInt8]
  ) throws(StoreError) -> (value: ArraySlice<UInt8>, key: [UInt8]) {
    let indexed = IndexedValueCoding.indexedType(type) ?? type
    guard let offset = IndexedValueCoding.keyOffset(in: bytes, type: indexed) else {
      throw .malformedCatalog(reason: "an index of \(shape.name) has a key without an object")
    }
    return (bytes[..<offset], Array(bytes[offset...]))
  }

  /// The object with that key, when an index would hold this value of it now, and it is selected.
  func object(
    _ key: [UInt8], indexedAs bytes: ArraySlice<UInt8>, selecting selection: MemberSelection
  ) throws(StoreError) -> Found? {
    guard let found = try object(key) else { return nil }
    return isIndexed(try value(found), as: bytes, selecting: selection) ? found : nil
  }

  /// Whether a value is selected, and an index has it as these bytes.
  func isIndexed(
    _ value: Value, as bytes: ArraySlice<UInt8>, selecting selection: MemberSelection
  ) -> Bool {
    selection.contains(value) && bytes.elementsEqual(selection.place(of: value))
  }

  /// What a complete index would hold of some objects.
  struct Judged {
    /// The keys of an index for those that are selected, whether they can be upgraded or not.
    var matches: [[UInt8]] = []
    /// The keys of those that cannot be upgraded, and whose value is not known.
    var failing: [[UInt8]] = []
    /// What is wrong with those that cannot be read.
    var damage: [LogError] = []

    /// Makes a note of a record that is damaged; throws what concerns others, too: behind an index
    /// that cannot be read nobody knows what there is.
    mutating func note(_ error: LogError, isWalkOver: Bool = false) throws(StoreError) {
      guard error.damage != nil, !isWalkOver else { throw .log(error) }
      damage.append(error)
    }
  }

  /// Judges all objects; by the primary key those that have one which is selected. Memory grows
  /// with the number of those that are selected, or fail.
  func scan(_ selection: MemberSelection) throws(StoreError) -> Judged {
    var judged = Judged()
    let isKey = shape.members[member].name == shape.keyMember
    let keys = isKey ? selection.primaryKeys(of: shape.keyType) : .all
    let records = try StoreError.log { () throws(LogError) in
      try source.records(in: collection, keys: keys, order: .ascending)
    }
    while true {
      do throws(LogError) {
        guard let next = try records.next() else { return judged }
        judge(next.record, next.key, selection, &judged)
      } catch { try judged.note(error, isWalkOver: records.isOver) }
    }
  }

  /// Judges the objects whose value who made the index did not know. Another app may know more: one
  /// with code that a tool has not, or a newer one.
  func scanUnknown(
    of index: StoredIndex, _ selection: MemberSelection
  ) throws(StoreError) -> Judged {
    var judged = Judged()
    let keys = try StoreError.log { () throws(LogError) in
      try source.records(
        in: index.collection, keys: .prefix(IndexedValueCoding.unknown), order: .ascending)
    }
    while true {
      let key: [UInt8]
      do throws(LogError) {
        guard let next = try keys.next() else { return judged }
        key = Array(next.key.dropFirst())
      } catch {
        try judged.note(error, isWalkOver: keys.isOver)
        continue
      }
      do throws(LogError) {
        if let record = try source.record(for: key, in: collection) {
          judge(record, key, selection, &judged)
        }
      } catch { try judged.note(error) }
    }
  }

  private func judge(
    _ record: StoredRecord, _ key: [UInt8], _ selection: MemberSelection, _ judged: inout Judged
  ) {
    let found: Value?
    do throws(StoreError) { found = try value(key, record) } catch {
      guard let known = knownValue(key, record) else { return judged.failing.append(key) }
      found = known
    }
    guard let found, selection.contains(found) else { return }
    judged.matches.append(selection.place(of: found) + key)
  }
}
