internal import SchemaRegistry

/// What a model of a configuration meant when a version first wrote to the store, so that a later
/// build of the same version reads the same (R22, R37).
struct RecordedModel: Sendable, Equatable {
  /// The initial values of members, which older objects have; what was recorded first stays.
  var values: [MemberIdentity: Value] = [:]
  /// How objects of older versions become current ones: sums over the operations, which tell when
  /// indexes were made by others.
  var sums: [SchemaVersion: ShapeFingerprint] = [:]

  /// The same with what a later build adds to it.
  func merging(_ later: RecordedModel) -> RecordedModel {
    RecordedModel(
      values: values.merging(later.values) { recorded, _ in recorded },
      sums: sums.merging(later.sums) { _, current in current })
  }
}
