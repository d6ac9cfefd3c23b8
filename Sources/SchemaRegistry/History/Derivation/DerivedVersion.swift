/// A version of a history after it was checked.
struct DerivedVersion: Sendable {
  let shape: SchemaShape
  /// The types that this version touched.
  let transitions: [TypeIdentity: TypeTransition]
  /// What runs once over whole types, in order.
  let barriers: [ResolvedBarrier]
  /// The hash chain over every operation up to this version.
  let fingerprint: ShapeFingerprint
}
