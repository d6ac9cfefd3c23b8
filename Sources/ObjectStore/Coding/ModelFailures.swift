internal import SchemaRegistry

/// What readers get for objects of a type that its model cannot hold.
struct ModelFailures: Sendable {
  /// The version in whose shape models are read.
  let version: SchemaVersion
  /// What makes another object of such a one; nothing for none.
  let fallback: (@Sendable (FailedObject) -> [String: Value]?)?

  /// None but the error.
  init() {
    version = 0
    fallback = nil
  }

  init(_ schema: StoreSchema, of type: TypeShape) {
    version = schema.version
    fallback =
      if case .fallback(let fallback) = schema.failurePolicies[type.name] { fallback } else { nil }
  }
}
