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

  /// Takes what is recorded of members for granted, but for those of which the block said
  /// something.
  ///
  /// Of a member that came in a version of which nothing is recorded any stored one of its names is
  /// taken for what it may be.
  mutating func follow(
    _ lineages: MemberLineages, _ old: TypeShape, _ new: DeclaredModels.Declared
  ) {
    var renames: [(source: String?, to: String)] = []
    for member in new.members where !names.final.values.contains(member.name) {
      let identities = lineages[member.name].identities
      sources[member.name] = old.members.first { stored in
        // What the block calls it may be a name that it had in a version between.
        identities.contains(stored.identity) && names.final[stored.name].map(new.has) != true
      }
      if let source = sources[member.name],
        (names.final[source.name] ?? source.name) != member.name
      {
        renames.append((source.name, member.name))
      }
    }
    names.rename(atOnce: renames)
    for member in new.members where lineages[member.name].isUnrecorded {
      guard sources[member.name] == nil else { continue }
      let known = [member.name] + new.formerNames(of: member.name)
      let stored = old.members.first { known.contains($0.name) && name(of: $0) == nil }
      if let stored { unclear.append((stored.name, member.name)) }
    }
  }
}
