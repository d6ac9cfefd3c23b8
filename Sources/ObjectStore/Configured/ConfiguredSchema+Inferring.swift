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
    /// Versions that the block is asked of besides: what it says of them goes before what it says
    /// of older ones, whether they have objects or not.
    var asked: Set<SchemaVersion> = []
  }

  /// A member that a block brings back is the same one in all versions. So once it is found, all is
  /// inferred again, as it will be when that is recorded; and from the start once a version is to
  /// be asked besides, as if objects had it.
  func inferred(
    _ declared: SchemaShape, noting noted: inout [SchemaVersion: Migration]
  ) throws(StoreError) -> Inferred {
    var notes: [SchemaVersion: Migration] = [:]
    var known = Inferred(target: [])
    while true {
      let inferred = try inferred(declared, known, noting: &notes)
      noted.merge(notes) { _, current in current }
      if inferred.asked != known.asked {
        known = Inferred(target: [], asked: inferred.asked)
      } else if inferred.broughtBack != known.broughtBack {
        known = inferred
      } else {
        return inferred
      }
    }
  }

  private func inferred(
    _ declared: SchemaShape, _ known: Inferred,
    noting notes: inout [SchemaVersion: Migration]
  ) throws(StoreError) -> Inferred {
    var inferred = Inferred(
      target: stored.types(at: version) ?? [], broughtBack: known.broughtBack, asked: known.asked)
    var said: [SchemaVersion: [TypeIdentity: InferredOperations]] = [:]
    let versions = Set(olderVersions)
    // The newest version first: it says which members the current ones are.
    for older in versions.union(known.asked).sorted(by: >) {
      guard let shape = catalog.shapes[older] else {
        throw .malformedCatalog(reason: "it does not describe version \(older)")
      }
      let given: (history: SchemaHistory, found: [TypeIdentity: InferredOperations])
      do throws(StoreError) {
        given = try self.inferred(
          from: shape, { [inferred] type in lineages(of: type, inferred) }, noting: &notes)
      } catch {
        // What is wrong with the block in versions that are only asked besides is no matter.
        if versions.contains(older) { throw error }
        continue
      }
      said[older] = given.found
      for (type, found) in given.found where canRecordOrigins(of: type, inferred.origins[type]) {
        let members = recorded(found.broughtBack, in: type, older, said, &inferred)
        if members.isEmpty { continue }
        inferred.broughtBack[type, default: [:]].merge(members) { known, _ in known }
      }
      guard versions.contains(older) else { continue }
      inferred.histories[older] = given.history
      let types = try StoreError.schema { () throws(SchemaError) in
        try ordered(
          try given.history.shape(at: version).types.filter { newest[$0.name]?.version == older },
          declared)
      }
      inferred.target += types
      for type in types {
        inferred.origins[type.identity] = Self.changed(
          given.found[type.identity]?.origins, in: type)
      }
    }
    return inferred
  }

  /// What is recorded of the members that a block brings back of objects of an older version.
  ///
  /// The version before the one that introduced a member goes first, also where no object has it:
  /// the block is asked of it, and `said` tells what it brings back there. Where that is nothing,
  /// but the version still has what the block makes the member of in older objects, it means these
  /// only. What only other apps declared there says nothing of the type.
  private func recorded(
    _ found: [MemberIdentity: RecordedLineage.Origin], in type: TypeIdentity,
    _ older: SchemaVersion, _ said: [SchemaVersion: [TypeIdentity: InferredOperations]],
    _ inferred: inout Inferred
  ) -> [MemberIdentity: RecordedLineage.Origin] {
    let lineages = self.lineages(of: type, inferred)
    var members: [MemberIdentity: RecordedLineage.Origin] = [:]
    for (member, origin) in found {
      guard let before = stored.newestVersion(of: type, before: member.introducedIn) else {
        continue
      }
      let isRecorded: Bool
      if before <= older {
        // Of objects of that version, or of newer ones, later versions said all there is to say.
        // What a later build of the version says that introduced the member is said of it only as
        // far as it is known what that was.
        isRecorded =
          member.introducedIn < version
          || !lineages.lineage(of: origin.identity).isUnrecorded
      } else {
        if said[before] == nil { inferred.asked.insert(before) }
        isRecorded =
          said[before]?[type]?.broughtBack[member] == nil
          && catalog.hasGivenUp(origin.identity, of: type, in: before)
      }
      if isRecorded { members[member] = origin }
    }
    return members
  }
}
