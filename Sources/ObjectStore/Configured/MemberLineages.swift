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
  /// `given` are the names that the block gives one after the other, and `later` is the type in
  /// these versions, the oldest first. A member that the block leads back to a name which it had
  /// is the same one there, so places on the way are compared, and not names.
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
    // A name that another one has may be one in the middle.
    let way = [source.name] + given[..<((given.lastIndex(of: name) ?? -1) + 1)]
    let reached = Self.end(of: way, in: later) { identity in
      lineage(of: identity).identities.contains(source.identity)
    }
    let begun = Self.start(of: way, in: later, own.identities.contains)
    // It was given up at the end of the way, or the other one has been there all along; or both had
    // one name on it.
    return reached == way.count - 1 || begun == 0 || !own.isUnrecorded && reached >= begun
  }

  /// How far on the way versions show a member, whose names it goes through one after the other.
  private static func end(
    of way: [String], in versions: [TypeShape], _ isMeant: (MemberIdentity) -> Bool
  ) -> Int {
    names(of: isMeant, in: versions).reduce(0) { place, name in
      way[place...].firstIndex(of: name) ?? place
    }
  }

  /// Where on the way to its end the versions show that a member came in.
  private static func start(
    of way: [String], in versions: [TypeShape], _ isMeant: (MemberIdentity) -> Bool
  ) -> Int {
    names(of: isMeant, in: versions).reversed().reduce(way.count - 1) { place, name in
      way[...place].lastIndex(of: name) ?? place
    }
  }

  private static func names(
    of isMeant: (MemberIdentity) -> Bool, in versions: [TypeShape]
  ) -> [String] {
    versions.compactMap { type in type.members.first { isMeant($0.identity) }?.name }
  }

  func lineage(of identity: MemberIdentity) -> MemberLineage {
    MemberLineage(of: identity, origins, isRecorded: isRecorded)
  }
}
