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
  /// The block gives the names that `names` tells, and `later` is the type in these versions, the
  /// oldest first. A member that the block leads back to a name which it had
  /// is the same one there, so places on the way are compared, and not names.
  func isOutdated(
    _ source: String, _ name: String, _ names: RenamedMembers, _ old: TypeShape,
    _ new: DeclaredModels.Declared, later: [LaterType]
  ) -> Bool {
    guard let source = old.members.first(where: { $0.name == source }) else { return false }
    let own = self[name]
    // Of two that the version has side by side, the newer one is the member.
    let newer = own.identities.prefix { $0 != source.identity }
    let isOthers = old.members.contains { member in
      newer.contains(member.identity) && !own.isRetyped(since: member.identity)
    }
    if isOthers { return true }
    if newer.count < own.identities.count { return false }
    if haveRecorded(source.name, old, new) { return true }
    let given = names.given[source.name, default: []]
    // A name that another one has may be one in the middle.
    let way = [source.name] + given[..<((given.lastIndex(of: name) ?? -1) + 1)]
    // The newest version first, so a place behind the one that is known is that of another rename.
    let begun = later.reversed().reduce(way.count - 1) { place, type in
      guard let shown = type.member(own.identities.firstIndex(of:)) else { return place }
      if let known = type.place(of: shown, on: way), known <= place { return known }
      return way[...place].lastIndex(of: shown) ?? place
    }
    let rest = names.rest(of: source.name, on: way)
    let reached = later.reduce(0) { place, type in
      let shown = type.member { member in
        // The newer a member, the further back it is that it was the source.
        lineage(of: member).identities.firstIndex(of: source.identity).map { -$0 }
      }
      guard let shown else { return place }
      if let known = type.place(of: shown, on: way) { return known }
      // Where the block does not say the last of it any more, all has been done. Nor does a name
      // that comes twice mean the first where nobody came in between.
      if type.isBehind(rest, on: way) { return way.count - 1 }
      let places = way[place...]
      return (begun < way.count - 1 ? places.firstIndex(of: shown) : places.lastIndex(of: shown))
        ?? place
    }
    // It was given up at the end of the way, or the other one has been there all along; or both had
    // one name on it, or the renames between their names were those of a third one.
    return reached == way.count - 1 || begun == 0
      || !own.isUnrecorded
        && (reached >= begun
          || haveRenamedThird(way, reached...begun, since: old, later, source.identity, own))
  }

  /// Whether versions show, or the models, that a name between two places on a way became the next
  /// one for a third member, which is neither the source nor the part's own member.
  ///
  /// A part that led to the name at the last of these places means no later version than the one in
  /// which the own member left that name for good. What third members do with the names afterwards
  /// other parts say, in the same words; but where a third one goes on from there to the next name
  /// of the way, and the own member went elsewhere, that way is the third one's.
  private func haveRenamedThird(
    _ way: [String], _ places: ClosedRange<Int>, since old: TypeShape, _ later: [LaterType],
    _ source: MemberIdentity, _ own: MemberLineage
  ) -> Bool {
    func type(_ shape: TypeShape) -> LaterType { LaterType(shape, renames: nil) { _ in true } }
    let types = [type(old)] + later + [current].compactMap { $0.map(type) }
    let pairs = Array(zip(types, types.dropFirst()))
    func isOfThird(_ pair: (LaterType, LaterType), from place: Int) -> Bool {
      guard let known = pair.0.identity(of: way[place]),
        let renamed = pair.1.identity(of: way[place + 1]), !own.identities.contains(renamed)
      else { return false }
      let identities = lineage(of: renamed).identities
      return identities.contains(known) && !identities.contains(source)
    }
    let shown = types.map { $0.member(own.identities.firstIndex(of:)) }
    // The pair of versions in which it left counts, as one version renames both.
    let left = shown.lastIndex(of: way[places.upperBound]).flatMap { last in
      shown[(last + 1)...].firstIndex { $0 != nil }
    }
    var counted = pairs[..<(left ?? pairs.count)]
    let further = way[(places.upperBound + 1)...]
    let isOwnWay = left.map { left in
      shown[left...].allSatisfy { name in name.map(further.contains) ?? true }
    }
    if !further.isEmpty, isOwnWay != true,
      pairs.contains(where: { isOfThird($0, from: places.upperBound) })
    {
      counted = pairs[...]
    }
    return counted.contains { pair in
      (places.lowerBound..<places.upperBound).contains { isOfThird(pair, from: $0) }
    }
  }

  /// What a block brought back of objects of an older version, for the version to record: by what
  /// members of the model were in the beginning, the ones that `found` says they are besides.
  func broughtBack(
    _ found: [String: RecordedLineage.Origin]
  ) -> [MemberIdentity: RecordedLineage.Origin] {
    var members: [MemberIdentity: RecordedLineage.Origin] = [:]
    for (name, origin) in found where origin.change == .renamed {
      let known = self[name].identities
      guard let oldest = known.last, !known.contains(origin.identity), origins[oldest] == nil
      else { continue }
      members[oldest] = RecordedLineage.Origin(
        identity: origin.identity, change: .renamed, isBroughtBack: true)
    }
    return members
  }

  func lineage(of identity: MemberIdentity) -> MemberLineage {
    MemberLineage(of: identity, origins, isRecorded: isRecorded)
  }
}
