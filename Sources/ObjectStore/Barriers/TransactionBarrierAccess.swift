internal import LogStore
internal import SchemaRegistry

/// A barrier's view of the store: a transaction in which every record has the barrier's version.
final class TransactionBarrierAccess: BarrierAccess {
  private let operationID: String
  private let version: SchemaVersion
  private let types: [String: (shape: TypeShape, collection: CollectionIdentifier)]
  /// Of every type that the version has, those besides `types`, too.
  private let typeNames: Set<String>
  private let transaction: Transaction

  init(
    operationID: String, shape: SchemaShape,
    types: [String: (shape: TypeShape, collection: CollectionIdentifier)],
    transaction: Transaction
  ) {
    self.operationID = operationID
    version = shape.version
    self.types = types
    typeNames = Set(shape.types.map(\.name))
    self.transaction = transaction
  }

  private func type(
    _ name: String
  ) throws -> (shape: TypeShape, collection: CollectionIdentifier) {
    guard let type = types[name] else {
      throw failure("\(name) is not among the types that it touches")
    }
    return type
  }

  private func failure(_ reason: String) -> SchemaError {
    .barrierFailed(operationID: operationID, underlying: reason)
  }

  func forEach(
    _ type: String, _ body: (RecordView, inout RecordDraft) throws -> StepOutcome
  ) throws {
    let (shape, collection) = try self.type(type)
    let cursor = try transaction.records(in: collection)
    while let (key, record) = try cursor.next() {
      guard let current = try transaction.record(for: key, in: collection) else { continue }
      let keyValue = try KeyCoding.decode(key, as: shape.keyType)
      let changed = try BarrierRecords.run(
        body, operationID: operationID, shape: shape,
        old: try RecordPayload.decode(record.payload, key: keyValue, shape: shape),
        current: try RecordPayload.decode(current.payload, key: keyValue, shape: shape))
      // The body may have changed the object by itself: it would come back, or lose that change.
      guard let left = try transaction.record(for: key, in: collection) else { continue }
      guard left.payload == current.payload else {
        throw failure(
          "\(shape.name) \(KeyCoding.text(of: keyValue)) was changed by the code that was given "
            + "it; change the draft instead")
      }
      if let changed {
        let payload = try RecordPayload.encode(changed, shape: shape)
        guard payload != current.payload else { continue }
        try transaction.put(
          key, in: collection, schemaVersion: version.rawValue, payload: payload)
      } else {
        try transaction.delete(key, in: collection)
      }
    }
  }

  func object(_ type: String, key: Value) throws -> [String: Value]? {
    let (shape, collection) = try self.type(type)
    guard let bytes = try KeyCoding.encode(lookingUp: key, as: shape.keyType),
      let record = try transaction.record(for: bytes, in: collection)
    else { return nil }
    return try DynamicObject(shape: shape, key: key, payload: record.payload).members
  }

  func create(_ type: String, _ values: [String: Value]) throws {
    let (shape, collection) = try self.type(type)
    let encoded = try DynamicObject(shape: shape, values: values).encode()
    guard try transaction.record(for: encoded.key, in: collection) == nil else {
      var clashes = KeyClashes(type: shape)
      clashes.note(values[shape.keyMember], old: values[shape.keyMember] ?? .null)
      return try clashes.throwIfAny()
    }
    try transaction.put(
      encoded.key, in: collection, schemaVersion: version.rawValue, payload: encoded.payload)
  }

  func delete(_ type: String, key: Value) throws {
    let (shape, collection) = try self.type(type)
    guard let bytes = try KeyCoding.encode(lookingUp: key, as: shape.keyType) else { return }
    try transaction.delete(bytes, in: collection)
  }

  func deleteAll(_ type: String) throws -> Bool {
    guard typeNames.contains(type) else { return false }
    let (_, collection) = try self.type(type)
    let cursor = try transaction.records(in: collection)
    while let key = try cursor.nextKey() { try transaction.delete(key, in: collection) }
    return true
  }
}
