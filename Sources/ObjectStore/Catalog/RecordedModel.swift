internal import SchemaRegistry

/// What a model of a configuration meant when a version first wrote to the store, so that a later
/// build of the same version reads the same (R22, R37).
struct RecordedModel: Sendable, Equatable {
  /// The initial values of members, which older objects have; what was recorded first stays.
  var values: [MemberIdentity: Value] = [:]
  /// For each older version the members that are, or hold, embedded objects which got something
  /// inside since: objects of the values that it has in objects of that version. What was recorded
  /// first stays here, too.
  var inside: [SchemaVersion: [MemberIdentity: Value]] = [:]
  /// How objects of older versions become current ones: sums over the operations, which tell when
  /// indexes were made by others.
  var sums: [SchemaVersion: ShapeFingerprint] = [:]
  /// Where its members come from; nothing when a library before decision 143 wrote the version.
  var lineage: RecordedLineage?

  /// The same with what a later build adds to it.
  func merging(_ later: RecordedModel) -> RecordedModel {
    RecordedModel(
      values: values.merging(later.values) { recorded, _ in recorded },
      inside: inside.merging(later.inside) { recorded, later in
        recorded.merging(later) { recorded, _ in recorded }
      },
      sums: sums.merging(later.sums) { _, current in current },
      lineage: lineage.map { recorded in later.lineage.map(recorded.merging) ?? recorded }
        ?? later.lineage)
  }

  /// What was added inside of a member since a version, and which one that is. Where nothing tells
  /// of objects of that version, what was added since the next one: what came before is recorded
  /// elsewhere. Of several members the first one is meant of which it tells that.
  func addedInside(
    _ members: [MemberIdentity], after version: SchemaVersion
  ) -> (since: SchemaVersion, value: Value)? {
    guard let known = inside.keys.filter({ $0 >= version }).min() else { return nil }
    return members.lazy.compactMap { inside[known]?[$0] }.first.map { (known, $0) }
  }
}
