internal import SchemaRegistry

/// Follows what models say that members of a stored type were called.
///
/// They say so for years, and do not say since which version. Where a stored member has the new
/// name, it may be the renamed one already, or another one: what is not known is refused.
struct FormerNames {
  /// A member of the model, and the first of its former names that objects have.
  private struct Pair {
    let former: String
    /// What the member of that name is called in old objects.
    let source: String
    let member: String
    /// Whether newer versions show it, whatever else has the name of the member.
    var isShown = false
    /// Whether it had the name of the member in a version between, and other than that nothing says
    /// that it is it.
    var isNamesake = false
    /// Whether it may be another one.
    var isUnclear = false
  }

  let old: TypeShape
  let new: DeclaredModels.Declared
  /// What the members are called already.
  let renamed: RenamedMembers
  /// The members of the model of which newer versions of the store tell what they are.
  let settled: Set<String>
  /// The type in earlier versions of the store, and in later ones.
  let earlier: [TypeShape]
  let later: [TypeShape]
  let lineages: MemberLineages
  let version: SchemaVersion
  /// Whether code says what becomes of old objects.
  let hasCode: Bool

  /// The renames to be done at once, and what code for the type has to say besides; throws what
  /// cannot be told.
  func renames() throws(StoreError) -> (
    followed: [(source: String?, to: String)], unclear: [(source: String, to: String)]
  ) {
    var followed: [Pair] = []
    var open: [Pair] = []
    let pairs = new.members.filter { !settled.contains($0.name) }.compactMap { pair(for: $0.name) }
    for pair in pairs {
      // What had the name of one of the model before is another one of it.
      let isClaimed = pairs.contains { !$0.isNamesake && $0.source == pair.source }
      if pair.isNamesake, isClaimed { continue }
      if pair.isUnclear { throw refusal(of: pair) }
      if old.index(ofMember: pair.member) == nil || pair.isShown {
        if followed.contains(where: { $0.source == pair.source }) { throw refusal(of: pair) }
        followed.append(pair)
      } else if !isPast(pair) {
        // Another member got the name already, by the block.
        if renamed.isReplaced(pair.member), new.has(pair.former) { continue }
        open.append(pair)
      }
    }
    // A name is free when the stored member that has it gets another one.
    while let index = open.firstIndex(where: { pair in
      renamed.final[pair.member] != nil || followed.contains { $0.source == pair.member }
    }) {
      let pair = open.remove(at: index)
      guard !renamed.isReplaced(pair.member) else { throw refusal(of: pair) }
      followed.append(pair)
    }
    for pair in followed
    where old.index(ofMember: pair.member) != nil && !pair.isShown
      && new.has(pair.former)
    {
      let isReplaced =
        renamed.isReplaced(pair.former) || followed.contains { $0.member == pair.former }
      // Whether the member that keeps its name is the one that was called so, or a new one?
      guard isReplaced else { throw refusal(of: pair) }
    }
    for pair in open where !new.has(pair.former) || isInCircle(pair, open) {
      throw refusal(of: pair)
    }
    let lost = lost(followed)
    if !hasCode, let pair = lost.first { throw refusal(of: pair) }
    return (followed.map { ($0.source, $0.member) }, lost.map { ($0.source, $0.member) })
  }

  /// Stored members that got another name when their own was used again, of which neither models
  /// nor versions tell, each with one of the model that it may be.
  private func lost(_ followed: [Pair]) -> [Pair] {
    var found: [Pair] = []
    for member in old.members
    where renamed.final[member.name] == nil
      && !followed.contains(where: { $0.source == member.name })
    {
      let next = later.first { type in !type.members.contains { $0.identity == member.identity } }
      let after = next?.members.first { $0.name == member.name }
      // Where every version has one of that name, code is asked for in any case.
      let isContinued = later.allSatisfy { $0.index(ofMember: member.name) != nil }
      guard let next, let after, !isContinued || !new.has(member.name) else { continue }
      let others = next.members.filter {
        $0.identity.introducedIn == after.identity.introducedIn && $0.name != member.name
          && (MemberLineage.isAlike(member.type, $0.type)
            || MemberLineage.isAlike($0.type, member.type))
      }
      for candidate in new.members
      where !settled.contains(candidate.name) && !renamed.final.values.contains(candidate.name)
        && !followed.contains(where: { $0.member == candidate.name })
      {
        let identities = lineages[candidate.name].identities
        guard others.contains(where: { identities.contains($0.identity) }) else { continue }
        found.append(Pair(former: member.name, source: member.name, member: candidate.name))
      }
    }
    return found
  }

  private func pair(for member: String) -> Pair? {
    let formerNames = new.formerNames(of: member)
    let lineage = lineages[member]
    if let pair = shown(member, lineage) { return pair }
    // What a block says goes first.
    let former = formerNames.first { former in
      let isRenamed = renamed.final.values.contains(former)
      if old.index(ofMember: former) != nil || !new.has(former) && isRenamed {
        return isRenamed
          || !lineage.isGivenUp && !lineage.names.contains(former)
            && !isAnother(former, than: member)
      }
      return false
    }
    guard let former, let source = renamed.source(of: former) else {
      return replaced(by: member, lineage)
    }
    return Pair(former: former, source: source, member: member)
  }

  /// Whether newer versions show the stored member of that name to be another one of the model.
  private func isAnother(_ stored: String, than member: String) -> Bool {
    guard let identity = Self.identity(stored, in: old) else { return false }
    return new.members.contains { other in
      other.name != member && lineages[other.name].identities.contains(identity)
    }
  }

  /// The stored member that newer versions show to be one of the model.
  private func shown(_ member: String, _ lineage: MemberLineage) -> Pair? {
    let known = old.members.first { lineage.identities.contains($0.identity) }
    guard let known, renamed.final[known.name] == nil else { return nil }
    return Pair(former: known.name, source: known.name, member: member, isShown: true)
  }

  /// The stored member that had the name of one of the model, which is called otherwise since, and
  /// became another type or got another name.
  private func replaced(by member: String, _ lineage: MemberLineage) -> Pair? {
    let name = lineage.firstName
    guard !lineage.isGivenUp || lineage.isUnclear, name != member,
      new.formerNames(of: member).contains(name),
      let known = old.members.first(where: { $0.name == name }), renamed.final[name] == nil,
      !renamed.isReplaced(name)
    else { return nil }
    return Pair(
      former: name, source: name, member: member, isNamesake: true,
      isUnclear: lineage.isUnclear || lineage.isReplacing(known))
  }

  private static func identity(_ name: String, in type: TypeShape?) -> MemberIdentity? {
    type?.members.first { $0.name == name }?.identity
  }

  /// Whether the stored member of the new name is the renamed one already, so that one of the
  /// former name is another.
  private func isPast(_ pair: Pair) -> Bool {
    guard let own = Self.identity(pair.member, in: old) else { return false }
    return earlier.contains { type in
      guard let before = Self.identity(pair.former, in: type) else { return false }
      // A renamed member whose name was used again at once has an identity of its own.
      return before == own
        || before != Self.identity(pair.former, in: old)
          && Self.identity(pair.member, in: type) == nil
    }
  }

  /// Whether members have the names of one another, which may be so before and afterwards.
  private func isInCircle(_ pair: Pair, _ pairs: [Pair]) -> Bool {
    var name = pair.former
    for _ in pairs {
      if name == pair.member { return true }
      guard let next = pairs.first(where: { $0.member == name }) else { return false }
      name = next.former
    }
    return name == pair.member
  }

  private func refusal(of pair: Pair) -> StoreError {
    .renamedOntoMember(
      type: new.name, from: pair.former, to: pair.member, version: version, isFormerName: true)
  }
}
