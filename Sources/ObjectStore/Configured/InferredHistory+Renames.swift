internal import SchemaRegistry

extension InferredHistory {
  /// Which stored members those of a model are.
  ///
  /// A block says it for one version, so it goes first. Of the newest stored version models tell
  /// the rest by former names; what older ones have follows from what newer ones recorded.
  func sources(
    _ old: TypeShape, _ new: DeclaredModels.Declared, _ lineages: MemberLineages, hasCode: Bool
  ) throws(StoreError) -> MemberSources {
    let asked = notes.renames(of: new.name)
    var renamed = RenamedMembers(old.members.map(\.name), renames: asked, isWanted: new.has)
    let wrong = renamed.unknown.first { rename in
      // A name that the block gives itself, this device may have skipped.
      !new.formerNames(of: rename.to).contains(rename.from) && !isKnown(new.name, rename.from)
        && !asked.contains { $0.to == rename.from }
    }
    if checksNames, let wrong {
      throw .unknownRename(
        type: new.name, from: wrong.from, to: wrong.to, missing: wrong.from,
        version: stored.version)
    }
    let isCircular = renamed.isCircular
    let later = later.compactMap { shape in
      shape.type(old.identity).map { type in
        // Where no name comes twice, names say all.
        LaterType(
          type, renames: isCircular ? laterRenames(shape, new.name) : nil, isWanted: new.has)
      }
    }
    let onto = renamed.ontoOthers.first { from, to in
      // What versions between recorded of either needs no answer.
      !lineages.haveRecorded(from, old, new) && !lineages.haveRecorded(to, old, new, but: to)
        && !lineages.isOutdated(
          from, to, renamed, old, new, later: later)
    }
    if let (from, to) = onto {
      throw .renamedOntoMember(
        type: new.name, from: from, to: to, version: stored.version, isFormerName: false)
    }
    var unclear: [(source: String, to: String)] = []
    if lineages.current == nil {
      let found = try formerNames(old, new, renamed, lineages, hasCode: hasCode)
      renamed.follow(found.followed)
      unclear = found.unclear
    }
    var sources = MemberSources(old, renamed, new, unclear: unclear)
    if lineages.current != nil { sources.follow(lineages, old, new, later: later) }
    try checkNames(asked, sources.names, new, hasCode: hasCode)
    return sources
  }

  private func formerNames(
    _ old: TypeShape, _ new: DeclaredModels.Declared, _ renamed: RenamedMembers,
    _ lineages: MemberLineages, hasCode: Bool
  ) throws(StoreError) -> (
    followed: [(source: String?, to: String)], unclear: [(source: String, to: String)]
  ) {
    let formerNames = FormerNames(
      old: old, new: new, renamed: renamed, known: formerNames(old.identity),
      earlier: earlier.compactMap { $0.type(old.identity) }, lineages: lineages,
      version: stored.version,
      // Nothing is kept of what a block deletes.
      hasCode: hasCode || notes.emptied.contains(new.name))
    return try formerNames.renames()
  }

  /// Refuses a rename that leads nowhere: it would take the values along. Code may read them under
  /// it, and a name that there was in between may be gone for good.
  private func checkNames(
    _ asked: [(from: String, to: String)], _ names: RenamedMembers, _ new: DeclaredModels.Declared,
    hasCode: Bool
  ) throws(StoreError) {
    guard checksNames else { return }
    let nowhere = asked.first { rename in
      names.final.values.contains(rename.to) && !new.has(rename.to) && !hasCode
        && !isKnown(new.name, rename.to)
    }
    guard let nowhere else { return }
    throw .unknownRename(
      type: new.name, from: nowhere.from, to: nowhere.to, missing: nowhere.to,
      version: stored.version)
  }
}
