internal import SchemaRegistry

/// What a version of a configuration recorded of where the members of a type come from.
struct RecordedLineage: Sendable, Equatable {
  /// What became of a member in the version that gave it another identity.
  enum Change: UInt8, Sendable {
    case renamed = 0
    /// Code made it another type: objects from before hold what code makes of them.
    case retyped = 1
    /// Only code could tell whether it was that one.
    case unclear = 2
  }

  /// What a member was in the version before, where that had another identity, or in an older one
  /// from which a block brought it back.
  struct Origin: Sendable, Equatable {
    let identity: MemberIdentity
    let change: Change
    /// Whether a block brought it back. That is not recorded: the version that says so is not the
    /// one that introduced the member, or the one before that had given it up.
    var isBroughtBack = false
  }

  /// What the model said that members were called, the newest name first; of a member that is not
  /// here it said nothing.
  var formerNames: [String: [String]] = [:]
  /// A member that the version introduced and that is not here was new. Of others it tells what a
  /// block made them: members of older versions that were given up before they came.
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
