/// A version of a history after it was checked.
struct DerivedVersion: Sendable {
  let shape: SchemaShape
  /// The types that this version touched.
  let transitions: [TypeIdentity: TypeTransition]
  /// The hash chain over every operation up to this version.
  let fingerprint: ShapeFingerprint
}
