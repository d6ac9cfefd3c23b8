internal import BinaryCoding

/// A version of a history after it was checked.
struct DerivedVersion: Sendable {
  let shape: SchemaShape
  /// The types that this version touched.
  let transitions: SortedTable<TypeIdentity, TypeTransition>
  /// What runs once over whole types, in order.
  let barriers: [ResolvedBarrier]
  /// How older apps read what it took or changed, in order.
  let inverses: [MemberInverse]
  /// What the values of members mean, where the history says it, by type and member.
  let meanings: SortedTable<TypeIdentity, [MemberIdentity: KnownMeaning]>
  /// The hash chain over every operation up to this version.
  let fingerprint: ShapeFingerprint
}
