internal import SchemaRegistry

extension ConfiguredSchema {
  /// What follows for the older versions that a store has.
  struct Inferred {
    /// How objects of each of them become current ones.
    var histories: [SchemaVersion: SchemaHistory] = [:]
    /// The types of the models as they are stored, with their identities.
    var target: [TypeShape]
    /// What members were in the newest stored version, of types that the current one introduces.
    var origins: [TypeIdentity: [MemberIdentity: RecordedLineage.Origin]] = [:]
    /// What the block brings back of versions before.
    var broughtBack: [TypeIdentity: [MemberIdentity: RecordedLineage.Origin]] = [:]
  }

  /// A member that a block brings back is the same one in all versions. So once it is found, all is
  /// inferred again, as it will be when that is recorded.
  func inferred(
    _ declared: SchemaShape, noting noted: inout [SchemaVersion: Migration]
  ) throws(StoreError) -> Inferred {
    var notes: [SchemaVersion: Migration] = [:]
    var known: [TypeIdentity: [MemberIdentity: RecordedLineage.Origin]] = [:]
    while true {
      let inferred = try inferred(declared, known, noting: &notes)
      noted.merge(notes) { _, current in current }
      if inferred.broughtBack == known { return inferred }
      known = inferred.broughtBack
    }
  }

  private func inferred(
    _ declared: SchemaShape,
    _ broughtBack: [TypeIdentity: [MemberIdentity: RecordedLineage.Origin]],
    noting notes: inout [SchemaVersion: Migration]
  ) throws(StoreError) -> Inferred {
    var inferred = Inferred(target: stored.types(at: version) ?? [], broughtBack: broughtBack)
    // What the versions give that are asked besides, until more is known of members.
    var asked: [SchemaVersion: [TypeIdentity: InferredOperations]] = [:]
    // The newest version first: it says which members the current ones are.
    for older in olderVersions.reversed() {
      guard let shape = catalog.shapes[older] else {
        throw .malformedCatalog(reason: "it does not describe version \(older)")
      }
      let (history, found) = try self.inferred(
        from: shape, { [inferred] type in lineages(of: type, inferred) }, noting: &notes)
      inferred.histories[older] = history
      for (type, found) in found where canRecordOrigins(of: type, inferred.origins[type]) {
        var members: [MemberIdentity: RecordedLineage.Origin] = [:]
        for (member, origin) in found.broughtBack {
          members[member] = recorded(
            origin, of: member, in: type, older, inferred, &asked, noting: &notes)
        }
        if members.isEmpty { continue }
        inferred.broughtBack[type, default: [:]].merge(members) { known, _ in known }
        asked = [:]
      }
      let types = try StoreError.schema { () throws(SchemaError) in
        try ordered(
          try history.shape(at: version).types.filter { newest[$0.name]?.version == older },
          declared)
      }
      if types.isEmpty { continue }
      asked = [:]
      inferred.target += types
      for type in types {
        inferred.origins[type.identity] = Self.changed(found[type.identity]?.origins, in: type)
      }
    }
    return inferred
  }

  /// What is recorded of a member that a block brings back of objects of an older version.
  ///
  /// Where the version before the one that introduced the member has the other one still, the block
  /// means older objects only, unless it makes the member of one of that version, too: that one is
  /// recorded then, as if objects had the version. What that gives is asked once for all members
  /// and all older versions. What only other apps declared there says nothing of the type.
  private func recorded(
    _ origin: RecordedLineage.Origin, of member: MemberIdentity, in type: TypeIdentity,
    _ older: SchemaVersion, _ inferred: Inferred,
    _ asked: inout [SchemaVersion: [TypeIdentity: InferredOperations]],
    noting notes: inout [SchemaVersion: Migration]
  ) -> RecordedLineage.Origin? {
    // What a later build of the version says that introduced the member is said of it only as far
    // as it is known what that was.
    let isLater =
      member.introducedIn < version
      || !lineages(of: type, inferred).lineage(of: origin.identity).isUnrecorded
    guard let before = stored.newestVersion(of: type, before: member.introducedIn),
      let shape = catalog.shapes[before]
    else { return nil }
    // Of objects of that version, or of newer ones, later versions said all there is to say.
    if isLater, before <= older { return origin }
    if catalog.hasGivenUp(origin.identity, of: type, in: before) { return origin }
    guard isLater else { return nil }
    if asked[before] == nil {
      // Whether it has objects is no matter; what is wrong with the block in these alone neither.
      do throws(StoreError) {
        let (_, found) = try self.inferred(
          from: shape, { lineages(of: $0, inferred) }, noting: &notes)
        asked[before] = found
      } catch { asked[before] = [:] }
    }
    return asked[before]?[type]?.broughtBack[member]
  }
}
