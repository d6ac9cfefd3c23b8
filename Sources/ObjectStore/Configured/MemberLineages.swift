internal import SchemaRegistry

/// Where the members of a type come from, as the versions of a store recorded it.
struct MemberLineages {
  /// The type in the current schema; nothing until the newest version that has it told.
  let current: TypeShape?
  /// What members were in the versions before those that introduced them.
  let origins: [MemberIdentity: RecordedLineage.Origin]
  let isRecorded: (SchemaVersion) -> Bool

  /// What a member of the model was.
  subscript(member: String) -> MemberLineage {
    guard let member = current?.members.first(where: { $0.name == member }) else {
      return MemberLineage()
    }
    return lineage(of: member.identity)
  }

  func lineage(of identity: MemberIdentity) -> MemberLineage {
    MemberLineage(of: identity, origins, isRecorded: isRecorded)
  }
}
