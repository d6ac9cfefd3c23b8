internal import SchemaRegistry

/// What a comparison found of one type's members, as operations in the order in which one version
/// of a history takes them.
struct InferredOperations {
  var removals: [RecordOperation] = []
  /// Members that have another name now.
  var renamed: [(member: MemberShape, to: String)] = []
  var others: [RecordOperation] = []
  /// The names of members of the model that hold what a stored one held.
  var survivors: Set<String> = []
  /// What members of the model were.
  var origins: [String: RecordedLineage.Origin] = [:]
  /// What the block brought back, by what members of the model were in the beginning.
  var broughtBack: [MemberIdentity: RecordedLineage.Origin] = [:]
  /// What code must set.
  var needed: [NeededMember] = []

  /// All of them, for a type whose members called `added` are new, and whose key is `keyMember`.
  ///
  /// A version that renames a member has no new one of its old name. Where it has, the renamed one
  /// is derived from the old one and that removed; and so on for a renamed one whose old name this
  /// one takes.
  func ordered(adding added: Set<String>, keyMember: String) -> [RecordOperation] {
    var (renamed, introduced) = (renamed, added)
    var derived: [RecordOperation] = []
    while let index = renamed.firstIndex(where: { rename in
      introduced.contains(rename.member.name) && rename.member.name != keyMember
    }) {
      let (member, name) = renamed.remove(at: index)
      introduced.insert(name)
      let derivation: [RecordOperation] = [
        .derive(
          member: name, type: member.type, inputs: [member.name],
          computation: .expression(.member(member.name))),
        .remove(member: member.name),
      ]
      // Before the one that takes its name.
      derived = derivation + derived
    }
    let renames = renamed.map { member, name in
      RecordOperation.rename(member: member.name, to: name, type: nil, fill: nil)
    }
    return removals + derived + renames + others
  }
}
