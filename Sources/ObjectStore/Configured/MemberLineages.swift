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

  /// Whether versions since then recorded which member of the model a stored one is, if by code, or
  /// that another one has its name.
  func haveRecorded(
    _ stored: String, _ old: TypeShape, _ new: DeclaredModels.Declared, but name: String? = nil
  ) -> Bool {
    guard let stored = old.members.first(where: { $0.name == stored }) else { return false }
    return new.members.contains {
      $0.name != name && self[$0.name].identities.contains(stored.identity)
    }
  }

  /// Whether a part of a block gives a name that is another member's since: versions after it
  /// recorded so, or what it did to the stored member, which was given up afterwards.
  ///
  /// `given` are the names that the block gives one after the other, `name` last, and `later` is
  /// the type in these versions.
  func isOutdated(
    _ source: String, _ name: String, given: [String], _ old: TypeShape,
    _ new: DeclaredModels.Declared, later: [TypeShape]
  ) -> Bool {
    guard let source = old.members.first(where: { $0.name == source }) else { return false }
    let own = self[name]
    if own.identities.contains(source.identity) { return false }
    let isOthers = old.members.contains { member in
      own.identities.contains(member.identity) && !own.isRetyped(since: member.identity)
    }
    if isOthers || haveRecorded(source.name, old, new) { return true }
    func wasCalled(_ name: String, _ isMeant: (MemberIdentity) -> Bool) -> Bool {
      later.contains { type in
        type.members.contains { $0.name == name && isMeant($0.identity) }
      }
    }
    let isOwn = own.identities.contains
    func isSource(_ identity: MemberIdentity) -> Bool {
      lineage(of: identity).identities.contains(source.identity)
    }
    // Another one had its name later, and is the one that the part means; or both had one that the
    // block gives in between.
    return wasCalled(name, isSource) || wasCalled(source.name, isOwn)
      || !own.isUnrecorded
        && given.dropLast().contains { wasCalled($0, isSource) && wasCalled($0, isOwn) }
  }

  func lineage(of identity: MemberIdentity) -> MemberLineage {
    MemberLineage(of: identity, origins, isRecorded: isRecorded)
  }
}
