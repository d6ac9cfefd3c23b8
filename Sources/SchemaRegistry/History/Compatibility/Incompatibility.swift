/// One reason why two versions of an app cannot use the same records.
public struct Incompatibility: Hashable, Sendable, CustomStringConvertible {
  /// What kind of reason it is; programs may rely on the names.
  public enum Code: String, Hashable, Sendable, CaseIterable {
    case nameMismatch, typeMismatch, enumCaseMissing, keyChanged, optionalityTightened
    case optionalityLoosened, memberRemovedWithoutFallback, typeRemoved, recordsRewritten
    case recordsDropped, derivedFromOthers
    case operationEdited, chainGap, barrierPresent, schemaChanged, readOnlyInverse
  }

  /// The kind of reason.
  public let code: Code
  /// The operation, as in `v3/Person/2`.
  public let operationID: String
  /// The member or type concerned, as in `Person.email`.
  public let place: String
  /// The version that brings it.
  public let version: SchemaVersion
  /// One sentence.
  public let reason: String
  /// What would avoid it, as one sentence.
  public let suggestion: String

  public init(
    code: Code, operationID: String, place: String, version: SchemaVersion, reason: String,
    suggestion: String
  ) {
    self.code = code
    self.operationID = operationID
    self.place = place
    self.version = version
    self.reason = reason
    self.suggestion = suggestion
  }

  public var description: String {
    "\(code.rawValue) \(place) (\(operationID)): \(reason) \(suggestion)"
  }
}
