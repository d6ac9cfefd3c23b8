internal import SchemaRegistry

/// What all members of a model were in the versions of a store that are newer than old objects, as
/// far as their identities, the block, and what the model says that they were called tell.
///
/// A version has each member once: what one of the model is by its identity, no other one is by a
/// former name, and what one is by that, no other one is by its name.
struct MemberLineages {
  /// The type in a version.
  struct Step {
    let type: TypeShape
    /// What the block said for that version; nothing where there is one that was not asked.
    let renames: [(from: String, to: String)]?
  }

  private let model: DeclaredModels.Declared
  private var lineages: [String: MemberLineage] = [:]
  /// The members of the versions that were gone through, and of the current schema.
  private var newer: [MemberShape]
  /// What the block makes of stored members that old objects have, for versions of which it was
  /// not asked.
  private let names: [MemberIdentity: String]

  /// `current` is what the current schema says that the members are, `later` are the versions,
  /// ascending, and `names` are those that the block gives to members of old objects.
  init(
    of model: DeclaredModels.Declared, current: TypeShape?, later: [Step],
    names: [MemberIdentity: String]
  ) {
    (self.model, self.names) = (model, names)
    newer = current?.members ?? []
    let identities = Dictionary(
      (current?.members ?? []).map { ($0.name, $0.identity) }, uniquingKeysWith: { $1 })
    for member in model.members {
      lineages[member.name] = MemberLineage(
        of: member, called: model.formerNames(of: member.name),
        identity: identities[member.name])
    }
    for step in later.reversed() {
      goBack(step)
      newer += step.type.members
    }
  }

  subscript(member: String) -> MemberLineage {
    guard let lineage = lineages[member] else {
      preconditionFailure("lineages are asked for members of the model: \(member) is none")
    }
    return lineage
  }

  private mutating func goBack(_ step: Step) {
    let type = step.type
    var open = lineages.values.filter(\.isOpen)
    var claimed: Set<MemberIdentity> = []
    func find(
      isSure: (MemberLineage, MemberShape) -> Bool = { _, _ in true },
      _ search: (MemberLineage) -> MemberShape?
    ) {
      let found = open.map { ($0.member, search($0)) }
      for case (let member, let known?) in found where !claimed.contains(known.identity) {
        let isSure = isSure(self[member], known)
        lineages[member]?.goBack(to: known, isSure: isSure)
        open.removeAll { $0.member == member }
      }
      claimed.formUnion(found.compactMap { $0.1?.identity })
    }
    find { $0.same(in: type) }
    let told = told(step)
    find { lineage in type.members.first { told[$0.identity] == lineage.member } }
    // Also what it makes one that the model lacks.
    claimed.formUnion(told.keys)
    // Two that were called the same are refused by whoever follows them.
    let known = claimed
    find { $0.former(in: type, unless: known.contains) }
    let newer = newer
    find(
      isSure: { step.renames != nil || !$0.mayBeFollower(of: $1, among: newer) },
      { $0.retyped(in: type) })
    for lineage in open { lineages[lineage.member]?.giveUp(in: type) }
  }

  /// The names that the block gives to members of a version.
  private func told(_ step: Step) -> [MemberIdentity: String] {
    guard let renames = step.renames else {
      return names.filter { identity, _ in
        step.type.members.contains { $0.identity == identity }
      }
    }
    let final = RenamedMembers(
      step.type.members.map(\.name), renames: renames, isWanted: model.has
    ).final
    return Dictionary(
      step.type.members.compactMap { member in final[member.name].map { (member.identity, $0) } },
      uniquingKeysWith: { first, _ in first })
  }
}
