internal import SchemaRegistry

/// What a model of a configuration meant when a version first wrote to the store, so that a later
/// build of the same version reads the same (R22, R37).
struct RecordedModel: Sendable, Equatable {
  /// The initial values of members, which older objects have; what was recorded first stays.
  var values: [MemberIdentity: Value] = [:]
  /// What the version added inside of embedded objects that members are, or hold: objects of the
  /// values which those of older objects have. What was recorded first stays here, too.
  var inside: [MemberIdentity: Value] = [:]
  /// How objects of older versions become current ones: sums over the operations, which tell when
  /// indexes were made by others.
  var sums: [SchemaVersion: ShapeFingerprint] = [:]

  /// The same with what a later build adds to it.
  func merging(_ later: RecordedModel) -> RecordedModel {
    RecordedModel(
      values: values.merging(later.values) { recorded, _ in recorded },
      inside: inside.merging(later.inside) { $0.completed(by: $1) },
      sums: sums.merging(later.sums) { _, current in current })
  }
}
