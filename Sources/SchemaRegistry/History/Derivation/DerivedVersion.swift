/// A version of a history after it was checked.
struct DerivedVersion: Sendable {
  let shape: SchemaShape
  /// The types that this version touched.
  let transitions: [TypeIdentity: TypeTransition]
  /// What runs once over whole types, in order.
  let barriers: [ResolvedBarrier]
  /// How older apps read what it took or changed, in order.
  let inverses: [MemberInverse]
  /// The types whose keys members hold, by type and member.
  let links: [TypeIdentity: [MemberIdentity: TypeIdentity]]
  /// The values that members may have, by type and member.
  let cases: [TypeIdentity: [MemberIdentity: [Value]]]
  /// The hash chain over every operation up to this version.
  let fingerprint: ShapeFingerprint
}
