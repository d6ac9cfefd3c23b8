internal import SchemaRegistry

/// Follows what models say that members of the newest stored version of a type were called.
///
/// They say so for years, and do not say since which version. Where a stored member has the new
/// name, it is the renamed one when its version said so of it already. What is not known is
/// refused, or code has to tell (decision 143).
struct FormerNames {
  /// How far what a model says that a member was called agrees with what the stored version said of
  /// one of its own.
  private enum Agreement {
    /// It says no more.
    case full
    /// It says more, of before.
    case more
    /// It says something else.
    case none
    /// Nothing is known of what the stored version said.
    case unknown
  }

  /// A member of the model, and a stored one that has one of its former names.
  private struct Pair {
    let former: String
    /// What the member of that name is called in old objects.
    let source: String
    let member: String
    /// Whether nothing says that it is another one.
    let isClear: Bool
    /// Whether the stored member of the new name is known to be the renamed one already, or not
    /// to be; nothing when that is not known, and it is where the model has both.
    var isPast: Bool?
    /// Whether that is known from its versions alone, of which none said so.
    var isUnsaid = false
  }

  let old: TypeShape
  let new: DeclaredModels.Declared
  /// What the block says that the members are called.
  let renamed: RenamedMembers
  /// What the stored version said that its members were called; nothing when that is not known.
  let known: [String: [String]]?
  /// The type in earlier versions of the store.
  let earlier: [TypeShape]
  let lineages: MemberLineages
  let version: SchemaVersion
  /// Whether code says what becomes of old objects.
  let hasCode: Bool

  /// The renames to be done at once, and what code has to say besides; throws what cannot be told.
  func renames() throws(StoreError) -> (
    followed: [(source: String?, to: String)], unclear: [(source: String, to: String)]
  ) {
    var (followed, open) = pairs()
    // A name is free when the stored member that has it gets another one.
    while let index = open.firstIndex(where: { pair in
      followed.contains { $0.source == pair.member } || isExchanged(pair, open)
    }) {
      let pair = open.remove(at: index)
      if pair.source != pair.member { followed.append(pair) }
    }
    let unclear =
      open.filter { pair in
        switch pair.isPast {
        case false?: true
        case true?: pair.isUnsaid && isInCircle(pair, open)
        case nil: !new.has(pair.former) || isInCircle(pair, open)
        }
      }
      + followed.filter { pair in
        let isTwice = followed.contains { $0.source == pair.source && $0.member != pair.member }
        return !pair.isClear || isTwice || isDoubtful(pair, followed)
      }
    if !hasCode, let pair = unclear.last { throw refusal(of: pair) }
    let clear = followed.filter { pair in !unclear.contains { $0.member == pair.member } }
    return (clear.map { ($0.source, $0.member) }, unclear.map { ($0.source, $0.member) })
  }

  /// Those whose new name no stored member has, and the others.
  private func pairs() -> (followed: [Pair], open: [Pair]) {
    var followed: [Pair] = []
    var open: [Pair] = []
    for member in new.members where !renamed.final.values.contains(member.name) {
      guard let pair = pair(for: member.name) else { continue }
      let isThere = old.index(ofMember: member.name) != nil && renamed.final[member.name] == nil
      if isThere { open.append(pair) } else { followed.append(pair) }
    }
    return (followed, open)
  }

  /// The first of a member's former names that the stored type has.
  private func pair(for member: String) -> Pair? {
    let names = new.formerNames(of: member)
    var found: [(former: String, source: String, agreement: Agreement)] = []
    for (index, former) in names.enumerated() {
      guard let source = renamed.source(of: former),
        source != member || renamed.final[source] != nil
      else { continue }
      let given = renamed.final[source]
      if given.map(new.has) == true {
        // The block gave the name to what has it now, or to this member in a version between.
        guard given == former, old.index(ofMember: former) == nil else { continue }
        found.append((former, source, .none))
      } else {
        found.append((former, source, agreement(of: source, names[(index + 1)...])))
      }
    }
    let own = ownAgreement(of: member, names, besides: found.first)
    guard let first = found.first else {
      // The stored one of its name was called otherwise.
      guard own == .none, !saysLess(of: member, names), let former = names.first,
        old.index(ofMember: member) != nil
      else { return nil }
      return Pair(former: former, source: member, member: member, isClear: false, isPast: false)
    }
    let isClear =
      switch first.agreement {
      case .full, .unknown: true
      case .more: found.count == 1
      case .none: false
      }
    let (isPast, isUnsaid) =
      saysLessBeside(first.former, of: member, names)
      ? (true, false) : isPast(first.former, of: member, own, besides: first.agreement)
    return Pair(
      former: first.former, source: first.source, member: member, isClear: isClear,
      isPast: isPast, isUnsaid: isUnsaid)
  }

  /// Whether a model leaves out some of what the stored version said that a member was called.
  private func saysLess(of member: String, _ names: [String]) -> Bool {
    var said = (known?[member] ?? [])[...]
    return names.allSatisfy { name in
      guard let index = said.firstIndex(of: name) else { return false }
      said = said[(index + 1)...]
      return true
    }
  }

  /// The same where the stored type has another member of a former name, which the model has, too,
  /// and which was never called otherwise.
  private func saysLessBeside(_ former: String, of member: String, _ names: [String]) -> Bool {
    known?[member]?.isEmpty == false && old.index(ofMember: member) != nil
      && new.has(former) && new.formerNames(of: former).isEmpty && saysLess(of: member, names)
  }

  /// How far names that a model says of before agree with what the version said of a stored member.
  private func agreement(of stored: String, _ names: ArraySlice<String>) -> Agreement {
    // The block says that it is it.
    if renamed.final[stored] != nil { return .full }
    guard let known else { return .unknown }
    let said = known[stored] ?? []
    if said.starts(with: names) { return .full }
    return names.starts(with: said) ? .more : .none
  }

  /// The same of the stored member that has the name still, or again; `other` is the one that has a
  /// former name.
  private func ownAgreement(
    of member: String, _ names: [String],
    besides other: (former: String, source: String, agreement: Agreement)?
  ) -> Agreement {
    // What was called so, and is no member of the model, may have got its name back.
    let isOthers =
      other.map { other in
        known?[other.source]?.contains(member) ?? false
          || !new.has(other.former) && other.agreement != .none
      } ?? false
    let isAgain = names.indices.contains { index in
      let rest = names[(index + 1)...]
      guard names[index] == member else { return false }
      return other == nil
        ? agreement(of: member, rest) == .full
        : known.map { $0[member, default: []] } == Array(rest)
    }
    return isAgain && !isOthers ? .full : agreement(of: member, names[...])
  }

  /// Whether the stored member that has the name of one of the model is the renamed one already.
  private func isPast(
    _ former: String, of member: String, _ agreement: Agreement, besides other: Agreement
  ) -> (isPast: Bool?, isUnsaid: Bool) {
    guard let own = old.members.first(where: { $0.name == member }) else { return (nil, false) }
    let identities = lineages.lineage(of: own.identity).identities
    // What the model says late may have happened before.
    let wasCalledSo = earlier.contains { type in
      type.members.contains { $0.name == former && identities.contains($0.identity) }
    }
    let isSaid = known?[member]?.isEmpty == false
    let isUnsaid = wasCalledSo && known != nil && !isSaid
    if agreement == .full { return (true, isUnsaid) }
    // It said so already, and the model says what it was before; or another one is the member now.
    if isSaid {
      guard agreement == .more else { return (false, false) }
      return (other == .none ? true : other == .full ? false : nil, false)
    }
    if wasCalledSo { return (true, isUnsaid) }
    return (agreement == .unknown ? nil : false, false)
  }

  /// Whether the member of the former name may be the one that was called so, or a new one: the
  /// stored version has both, and said already that one was called like the other, if anything.
  private func isDoubtful(_ pair: Pair, _ followed: [Pair]) -> Bool {
    known?[pair.member]?.contains(pair.former) ?? (known == nil)
      && old.index(ofMember: pair.member) != nil && new.has(pair.former)
      && !renamed.isReplaced(pair.former) && !followed.contains { $0.member == pair.former }
  }

  /// Whether members get the names of one another, and none of them had it already.
  private func isExchanged(_ pair: Pair, _ pairs: [Pair]) -> Bool {
    let circle = circle(of: pair, pairs)
    return !circle.isEmpty && circle.allSatisfy { $0.isPast == false }
  }

  /// Whether members have the names of one another, which may be so before and afterwards.
  private func isInCircle(_ pair: Pair, _ pairs: [Pair]) -> Bool {
    !circle(of: pair, pairs).isEmpty
  }

  /// The pairs that lead from a member over those that have its former names back to it.
  private func circle(of pair: Pair, _ pairs: [Pair]) -> [Pair] {
    var found = [pair]
    while let last = found.last, found.count <= pairs.count {
      if last.source == pair.member { return found.count > 1 ? found : [] }
      guard let next = pairs.first(where: { $0.member == last.source }) else { return [] }
      found.append(next)
    }
    return []
  }

  private func refusal(of pair: Pair) -> StoreError {
    .renamedOntoMember(
      type: new.name, from: pair.former, to: pair.member, version: version, isFormerName: true)
  }
}
