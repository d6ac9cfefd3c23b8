internal import SchemaRegistry

/// Which stored members those of a model are.
struct MemberSources {
  /// What the stored ones are called now.
  private(set) var names: RenamedMembers
  /// By the names of the model's members.
  private var sources: [String: MemberShape] = [:]
  /// Stored members that ones of the model may be, so that code has to set these.
  private(set) var unclear: [(source: String, to: String)]

  init(
    _ old: TypeShape, _ names: RenamedMembers, _ new: DeclaredModels.Declared,
    unclear: [(source: String, to: String)]
  ) {
    (self.names, self.unclear) = (names, unclear)
    for member in old.members {
      if let name = names.final[member.name] {
        sources[name] = member
      } else if !names.isReplaced(member.name) {
        sources[member.name] = member
      }
    }
    sources = sources.filter { name, _ in
      new.has(name) && !unclear.contains { $0.to == name }
    }
  }

  /// What a stored member is called in the model; nothing when it was given up.
  func name(of member: MemberShape) -> String? {
    sources.first { $0.value.identity == member.identity }?.key
  }

  /// Takes what is recorded of members for granted; of the others the block goes first.
  ///
  /// A part of a block may be kept when its version is long past, and the name that it gives may
  /// be another member's since. Of a member that came in a version of which nothing is recorded any
  /// stored one of its names is taken for what it may be.
  mutating func follow(
    _ lineages: MemberLineages, _ old: TypeShape, _ new: DeclaredModels.Declared,
    later: [LaterType]
  ) {
    let called = names.final
    let given = called.filter { source, name in
      !lineages.isOutdated(source, name, names, old, new, later: later)
    }
    let members = new.members.map(\.name).filter { !given.values.contains($0) }
    for name in members { sources[name] = nil }
    // Of two that the block calls so, the part for one is outdated.
    for member in old.members {
      if let name = given[member.name], new.has(name) { sources[name] = member }
    }
    // What code made of a member may be beside it, so who is it without code goes first.
    for isByCode in [false, true] {
      for name in members where sources[name] == nil {
        let lineage = lineages[name]
        let known = lineage.identities.lazy
          .filter { lineage.isRetyped(since: $0) == isByCode }
          .compactMap { identity in old.members.first { $0.identity == identity } }
        // What the block calls it may be a name that it had in a version between.
        let stored = known.first { given[$0.name].map(new.has) != true }
        guard let stored else { continue }
        if self.name(of: stored) == nil { sources[name] = stored }
        // Code finds it under the new name, whoever else it is.
        if isByCode { names.read(name, from: stored.name) }
      }
    }
    let renames = members.compactMap { name -> (source: String?, to: String)? in
      guard let source = sources[name], (names.final[source.name] ?? source.name) != name else {
        return nil
      }
      return (source.name, name)
    }
    names.follow(renames)
    for member in new.members where lineages[member.name].isUnrecorded {
      guard sources[member.name] == nil else { continue }
      let known = [member.name] + new.formerNames(of: member.name)
      let isCalledSo = { (stored: MemberShape) in
        known.contains(stored.name) || called[stored.name] == member.name
      }
      let stored = old.members.first { isCalledSo($0) && name(of: $0) == nil }
      if let stored { unclear.append((stored.name, member.name)) }
    }
  }
}
