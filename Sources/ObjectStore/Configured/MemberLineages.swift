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

  /// What a stored member is called in the model, as versions since then recorded without code;
  /// nothing where they did not, and where nothing newer is stored.
  func recordedName(
    of stored: String, _ old: TypeShape, _ new: DeclaredModels.Declared
  ) -> String? {
    guard let stored = old.members.first(where: { $0.name == stored }) else { return nil }
    return new.members.lazy.map(\.name).first { name in
      let lineage = self[name]
      return lineage.identities.contains(stored.identity)
        && !lineage.isRetyped(since: stored.identity)
    }
  }

  func lineage(of identity: MemberIdentity) -> MemberLineage {
    MemberLineage(of: identity, origins, isRecorded: isRecorded)
  }
}
