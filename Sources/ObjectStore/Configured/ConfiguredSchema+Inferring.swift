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
    // The newest version first: it says which members the current ones are.
    for older in olderVersions.reversed() {
      guard let shape = catalog.shapes[older] else {
        throw .malformedCatalog(reason: "it does not describe version \(older)")
      }
      let (history, found) = try self.inferred(
        from: shape, { [inferred] type in lineages(of: type, inferred) }, noting: &notes)
      inferred.histories[older] = history
      for (type, found) in found where canRecordOrigins(of: type, inferred.origins[type]) {
        let members = found.broughtBack.filter { member, origin in
          // Where the version before it has that one still, the block means older objects only.
          catalog.hasGivenUp(
            origin.identity, of: type, before: member.introducedIn,
            since: member.introducedIn < version ? older : nil)
        }
        if members.isEmpty { continue }
        inferred.broughtBack[type, default: [:]].merge(members) { known, _ in known }
      }
      let types = try StoreError.schema { () throws(SchemaError) in
        try ordered(
          try history.shape(at: version).types.filter { newest[$0.name]?.version == older },
          declared)
      }
      inferred.target += types
      for type in types {
        inferred.origins[type.identity] = Self.changed(found[type.identity]?.origins, in: type)
      }
    }
    return inferred
  }
}
