internal import SchemaRegistry

extension InferredHistory {
  /// What the members of a model were in the versions between.
  func lineages(_ old: TypeShape, _ new: DeclaredModels.Declared) -> MemberLineages {
    let steps = later.compactMap { shape in
      shape.type(old.identity).map { type in
        let notes = laterNotes.map { notes in notes[shape.version]?.renames(of: new.name) } ?? []
        return MemberLineages.Step(type: type, renames: notes)
      }
    }
    let final = RenamedMembers(
      old.members.map(\.name), renames: notes.renames(of: new.name), isWanted: new.has
    ).final
    let names = old.members.compactMap { member in
      final[member.name].map { (member.identity, $0) }
    }
    return MemberLineages(
      of: new, current: target.first { $0.identity == old.identity }, later: steps,
      names: Dictionary(names) { first, _ in first })
  }

  /// What members are called in the end, and which stored ones may be others of the model besides,
  /// so that code for the type has to say it.
  ///
  /// A block says it for one version, so it goes first. Then comes what newer versions of the store
  /// show, and last what models say, which may be of any version before.
  func renamed(
    _ old: TypeShape, _ new: DeclaredModels.Declared, _ lineages: MemberLineages, hasCode: Bool
  ) throws(StoreError) -> (RenamedMembers, unclear: [(source: String, to: String)]) {
    let asked = notes.renames(of: new.name)
    var renamed = RenamedMembers(old.members.map(\.name), renames: asked, isWanted: new.has)
    let wrong = renamed.unknown.first { !new.formerNames(of: $0.to).contains($0.from) }
    if let wrong {
      throw .unknownRename(
        type: new.name, from: wrong.from, to: wrong.to, missing: wrong.from,
        version: stored.version)
    }
    if let (from, to) = renamed.ontoOthers.first {
      throw .renamedOntoMember(
        type: new.name, from: from, to: to, version: stored.version, isFormerName: false)
    }
    let settled = renameKnown(&renamed, old, new)
    let formerNames = FormerNames(
      old: old, new: new, renamed: renamed, settled: settled,
      earlier: earlier.compactMap { $0.type(old.identity) },
      later: later.compactMap { $0.type(old.identity) },
      lineages: lineages, version: stored.version, hasCode: hasCode)
    var unclear: [(source: String, to: String)] = []
    do throws(StoreError) {
      let found = try formerNames.renames()
      renamed.rename(atOnce: found.followed)
      unclear = found.unclear
    } catch {
      // Nothing is kept of what a block deletes.
      guard notes.emptied.contains(new.name) else { throw error }
    }
    // One that leads nowhere would take the values along. Code may read them under it, and a name
    // that there was in between may be gone for good.
    guard checksNames else { return (renamed, unclear) }
    let nowhere = asked.first { rename in
      renamed.final.values.contains(rename.to) && !new.has(rename.to) && !hasCode
        && !isKnown(new.name, rename.to)
    }
    if let nowhere {
      throw .unknownRename(
        type: new.name, from: nowhere.from, to: nowhere.to, missing: nowhere.to,
        version: stored.version)
    }
    return (renamed, unclear)
  }

  /// Follows the renames that newer versions of the store show; gives the members of the model that
  /// they show to be stored ones.
  private func renameKnown(
    _ renamed: inout RenamedMembers, _ old: TypeShape, _ new: DeclaredModels.Declared
  ) -> Set<String> {
    let current = target.first { $0.identity == old.identity }
    var settled: Set<String> = []
    var known: [(source: String?, to: String)] = []
    for member in new.members where !renamed.final.values.contains(member.name) {
      guard let identity = current?.members.first(where: { $0.name == member.name })?.identity,
        let source = old.members.first(where: { $0.identity == identity })?.name,
        renamed.final[source] == nil
      else { continue }
      settled.insert(member.name)
      if source != member.name { known.append((source, member.name)) }
    }
    renamed.rename(atOnce: known)
    return settled
  }
}
