public import LogStore
public import SchemaRegistry

/// Why a store refused or failed a request.
public enum StoreError: Error, Equatable, Sendable {
  /// The log: files, locks, corruption, limits.
  case log(LogError)
  /// The schema: versions, shapes, upgrades, values.
  case schema(SchemaError)
  /// The Swift type was not among the models that the store was opened with.
  case unregisteredModel(type: String)
  /// The catalog, which describes the stored types, cannot be read.
  case malformedCatalog(reason: String)
  /// Barriers have to run first that are too much for an opening, or the store is read only.
  case barrierPending(BarrierEstimate)
  /// The progress of an opening was answered with an end; nothing of that barrier has happened.
  case barrierCancelled(operationID: String)
  /// A value of another type than the member has was given as key.
  case keyTypeMismatch(type: String, expected: FieldType)
  /// A member's values have no order, so that objects cannot be looked up by them.
  case notIndexable(type: String, member: String, holds: FieldType)
  /// Another object has this value of a unique member; `keyText` is its key.
  case notUnique(type: String, member: String, keyText: String)
}

extension StoreError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .log(let error): error.description
    case .schema(let error): error.description
    case .unregisteredModel(let type):
      "\(type) was not among the models when the store was opened; add it to `models:`"
    case .malformedCatalog(let reason):
      "the catalog of the store cannot be read: \(reason); nothing was changed. "
        + "Verify the store, and restore it from a backup"
    case .barrierPending(let estimate):
      "\(estimate.operationIDs.joined(separator: ", ")) must run over \(estimate.recordCount) "
        + "records (\(estimate.byteCount) bytes) before the store can be used; nothing was "
        + "changed. Show progress, and open it for writing with `barriers.byteCountMaximum` "
        + "set to .max"
    case .barrierCancelled(let id):
      "\(id) was cancelled and nothing of it has happened; open the store again to run it"
    case .keyTypeMismatch(let type, let expected):
      "the key of \(type) is \(expected); look it up with a value of that type"
    case .notIndexable(let type, let member, let holds):
      "\(type).\(member) holds \(holds), by which objects cannot be looked up; "
        + "choose a bool, a number, a text, bytes, a date or a UUID"
    case .notUnique(let type, let member, let keyText):
      "\(type) \(keyText) has this value of the unique member \(member) already; nothing was "
        + "changed. Choose another value, or change or delete that object first"
    }
  }
}

extension StoreError {
  /// Runs `body` and passes the log's errors on as the store's.
  static func log<Result>(_ body: () throws(LogError) -> Result) throws(StoreError) -> Result {
    do throws(LogError) { return try body() } catch { throw .log(error) }
  }

  /// Runs `body` and passes the registry's errors on as the store's.
  static func schema<Result>(
    _ body: () throws(SchemaError) -> Result
  ) throws(StoreError) -> Result {
    do throws(SchemaError) { return try body() } catch { throw .schema(error) }
  }
}
