internal import SchemaRegistry

/// What a version of a configuration recorded of where the members of a type come from.
struct RecordedLineage: Sendable, Equatable {
  /// What a member was in the version before, where that had another identity.
  struct Origin: Sendable, Equatable {
    let identity: MemberIdentity
    /// Whether code made it another type: objects from before hold what code makes of them.
    let isByCode: Bool
  }

  /// What the model said that members were called, the newest name first; of a member that is not
  /// here it said nothing.
  var formerNames: [String: [String]] = [:]
  /// A member that the version introduced and that is not here was new.
  var origins: [MemberIdentity: Origin] = [:]

  /// The same with what a later build of the version says. It renames nothing, so what it says
  /// besides happened before.
  func merging(_ later: RecordedLineage) -> RecordedLineage {
    RecordedLineage(
      formerNames: formerNames.merging(later.formerNames) { recorded, later in
        later.starts(with: recorded) ? later : recorded
      },
      origins: origins.merging(later.origins) { recorded, _ in recorded })
  }
}
