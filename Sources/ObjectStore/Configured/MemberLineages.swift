internal import SchemaRegistry

/// What all members of a model were in the versions of a store that are newer than old objects, as
/// far as their identities and what the model says that they were called tell.
///
/// A version has each member once: what one of the model is by its identity, no other one is by a
/// former name, and what one is by that, no other one is by its name.
struct MemberLineages {
  private var lineages: [String: MemberLineage] = [:]

  /// `current` is what the current schema says that the members are, `later` are the versions,
  /// ascending.
  init(of model: DeclaredModels.Declared, current: TypeShape?, later: [TypeShape]) {
    let identities = Dictionary(
      (current?.members ?? []).map { ($0.name, $0.identity) }, uniquingKeysWith: { $1 })
    for member in model.members {
      lineages[member.name] = MemberLineage(
        of: member, called: model.formerNames(of: member.name),
        identity: identities[member.name])
    }
    for type in later.reversed() { goBack(to: type) }
  }

  subscript(member: String) -> MemberLineage {
    guard let lineage = lineages[member] else {
      preconditionFailure("lineages are asked for members of the model: \(member) is none")
    }
    return lineage
  }

  private mutating func goBack(to type: TypeShape) {
    var open = lineages.values.filter(\.isOpen)
    var claimed: Set<MemberIdentity> = []
    func find(_ search: (MemberLineage) -> MemberShape?) {
      let found = open.map { ($0.member, search($0)) }
      for case (let member, let known?) in found where !claimed.contains(known.identity) {
        lineages[member]?.goBack(to: known)
        open.removeAll { $0.member == member }
      }
      claimed.formUnion(found.compactMap { $0.1?.identity })
    }
    find { $0.same(in: type) }
    // Two that were called the same are refused by whoever follows them.
    let known = claimed
    find { $0.former(in: type, unless: known.contains) }
    find { $0.retyped(in: type) }
    for lineage in open { lineages[lineage.member]?.giveUp(in: type) }
  }
}
