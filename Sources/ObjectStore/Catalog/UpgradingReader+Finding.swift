internal import LogStore
internal import SchemaRegistry

extension UpgradingReader {
  /// Whether objects of a type are written under `version`, so that it has the current shape.
  func isCurrent(_ version: SchemaVersion, _ type: TypeShape) -> Bool {
    version == schema.version
      || !schema.undeclared.isEmpty && version == schema.undeclared[type.identity]
  }

  /// Whether something may be given in place of objects of a type that a step fails for.
  func standsIn(for type: TypeShape) -> Bool {
    if case .fallback = schema.failurePolicies[type.name] { true } else { false }
  }

  /// The object with that key in the current shape, from a snapshot or a transaction.
  func find(
    _ key: Value, of shape: TypeShape, in collection: CollectionIdentifier?,
    from source: some RecordSource
  ) throws(StoreError) -> (shape: TypeShape, key: Value, payload: [UInt8])? {
    try schema.newer?.check(shape, writing: false)
    guard let collection,
      let (keyBytes, record) = try record(of: key, shape, in: collection, from: source)
    else { return nil }
    return try read(record, key: keyBytes, in: collection, of: shape)
  }

  /// The same without its shape, for who knows it: most records need neither a plan nor their key.
  func payload(
    of key: Value, _ shape: TypeShape, in collection: CollectionIdentifier?,
    from source: some RecordSource
  ) throws(StoreError) -> (key: Value, payload: [UInt8])? {
    try schema.newer?.check(shape, writing: false)
    guard let collection,
      let (keyBytes, record) = try record(of: key, shape, in: collection, from: source)
    else { return nil }
    let version = SchemaVersion(rawValue: record.schemaVersion)
    if isCurrent(version, shape) { return (key, record.payload) }
    if case .upgrade(let plan) = try plan(for: collection, version) {
      do throws(StoreError) {
        return try upgradedPayload(of: record, plan, key: keyBytes).map { (key, $0) }
      } catch {
        let found = try instead(of: record, key: keyBytes, of: shape, error)
        return (found.key, found.payload)
      }
    }
    let found = try read(record, key: keyBytes, in: collection, of: shape)
    return found.map { ($0.key, $0.payload) }
  }

  private func record(
    of key: Value, _ shape: TypeShape, in collection: CollectionIdentifier,
    from source: some RecordSource
  ) throws(StoreError) -> (key: [UInt8], record: StoredRecord)? {
    let keyBytes = try StoreError.lookUp(in: shape) { () throws(SchemaError) in
      try KeyCoding.encode(lookingUp: key, as: shape.keyType)
    }
    guard let keyBytes else { return nil }
    let record = try StoreError.log { () throws(LogError) in
      try source.record(for: keyBytes, in: collection)
    }
    return record.map { (keyBytes, $0) }
  }

  /// The objects with those keys in the current shape, in the order of the keys; nothing for null.
  /// All keys are encoded before a record is read, and all records are read before one is upgraded.
  func find(
    _ keys: [Value], of shape: TypeShape, in collection: CollectionIdentifier?,
    from snapshot: Snapshot
  ) throws(StoreError) -> [(shape: TypeShape, key: Value, payload: [UInt8])?] {
    try schema.newer?.check(shape, writing: false)
    guard let collection else { return keys.map { _ in nil } }
    let keyType = shape.keyType
    var encoded: [[UInt8]] = []
    encoded.reserveCapacity(keys.count)
    // Of keys that no object can have.
    var absent: Set<Int> = []
    for (place, key) in keys.enumerated() {
      let bytes = try StoreError.lookUp(in: shape) { () throws(SchemaError) in
        key.isNull ? nil : try KeyCoding.encode(lookingUp: key, as: keyType)
      }
      if let bytes { encoded.append(bytes) } else { absent.insert(place) }
    }
    let records = try StoreError.log { () throws(LogError) in
      try snapshot.records(for: encoded, in: collection)
    }
    let found = try zip(encoded, records).map { (key, record) throws(StoreError) -> Upgraded? in
      guard let record else { return nil }
      return try read(record, key: key, in: collection, of: shape)
    }
    if absent.isEmpty { return found }
    var rest = found.makeIterator()
    return keys.indices.map { absent.contains($0) ? nil : rest.next() ?? nil }
  }
}
