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
  /// What the members are in the current schema, as far as newer versions of the store tell.
  let current: TypeShape?
  let version: SchemaVersion

  /// The renames to be done at once; throws what cannot be told.
  func renames() throws(StoreError) -> [(source: String?, to: String)] {
    var followed: [Pair] = []
    var open: [Pair] = []
    for member in new.members where !settled.contains(member.name) {
      guard let pair = pair(for: member.name) else { continue }
      if old.index(ofMember: member.name) == nil {
        if isTakenOver(pair) || followed.contains(where: { $0.source == pair.source }) {
          throw refusal(of: pair)
        }
        followed.append(pair)
      } else if !isPast(pair) {
        // Another member got the name already, by the block.
        if renamed.isReplaced(member.name), new.has(pair.former) { continue }
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
    for pair in followed where old.index(ofMember: pair.member) != nil && new.has(pair.former) {
      let isReplaced =
        renamed.isReplaced(pair.former) || followed.contains { $0.member == pair.former }
      // Whether the member that keeps its name is the one that was called so, or a new one?
      guard isReplaced else { throw refusal(of: pair) }
    }
    for pair in open where !new.has(pair.former) || isInCircle(pair, open) {
      throw refusal(of: pair)
    }
    return followed.map { ($0.source, $0.member) }
  }

  private func pair(for member: String) -> Pair? {
    let formerNames = new.formerNames(of: member)
    let former = formerNames.first { former in
      old.index(ofMember: former) != nil
        || !new.has(former) && renamed.final.values.contains(former)
    }
    let found = former.flatMap { former in renamed.source(of: former).map { (former, $0) } }
    guard let (former, source) = found ?? known(as: formerNames),
      !isGivenUp(source, before: member, formerly: former), !hadName(of: member, source)
    else { return nil }
    return Pair(former: former, source: source, member: member)
  }

  /// The first of former names that a stored member got in a newer version, and that member.
  private func known(as formerNames: [String]) -> (former: String, source: String)? {
    for former in formerNames {
      let identities = later.compactMap { Self.identity(former, in: $0) }
      let source = old.members.first { identities.contains($0.identity) }?.name
      if let source, renamed.final[source] == nil { return (former, source) }
    }
    return nil
  }

  /// Whether newer versions show that a stored member had the name of one of the model, and lost it
  /// to that one: it is called otherwise since.
  private func hadName(of member: String, _ source: String) -> Bool {
    guard renamed.final[source] == nil, let meant = Self.identity(member, in: current),
      let stored = Self.identity(source, in: old), meant != stored
    else { return false }
    return later.contains { Self.identity(member, in: $0) == stored }
  }

  /// Whether newer versions show that what is stored under a former name was given up, so that the
  /// member is new to old objects (R23), whether they were rewritten meanwhile or not.
  ///
  /// Where every version has the one or the other, it is the same with another type. What a block
  /// says goes first.
  private func isGivenUp(_ source: String, before member: String, formerly former: String) -> Bool {
    guard renamed.final[source] == nil else { return false }
    let stored = Self.identity(source, in: old)
    let meant = Self.identity(member, in: current)
    // The member that is meant got the former name after the stored one had lost it.
    let isUsedAnew =
      meant != nil && meant != stored
      && later.contains { Self.identity(former, in: $0) == meant }
    let names = [member] + new.formerNames(of: member)
    return later.contains { type in
      let hasMeant = type.members.contains { $0.identity == meant }
      if hasMeant || type.index(ofMember: former) != nil { return false }
      return isUsedAnew
        || !type.members.contains { $0.identity == stored || names.contains($0.name) }
    }
  }

  /// Whether newer versions show that the member which is meant got the former name when the stored
  /// one lost it, of a type that needs no code: that one got another name then, and nobody knows
  /// which.
  private func isTakenOver(_ pair: Pair) -> Bool {
    guard renamed.final[pair.source] == nil, let meant = Self.identity(pair.member, in: current),
      meant != Self.identity(pair.source, in: old)
    else { return false }
    let forms = ([old] + later).compactMap { type in
      type.members.first { $0.name == pair.former }
    }
    return zip(forms, forms.dropFirst()).contains { before, after in
      after.identity == meant && before.identity != meant
        && Self.isAlike(before.type, after.type)
    }
  }

  private static func isAlike(_ left: FieldType, _ right: FieldType) -> Bool {
    guard let left = EmbeddedMembers(left), let right = EmbeddedMembers(right) else {
      return left.unwrapped.description == right.unwrapped.description
    }
    return left.containers == right.containers
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
