extension TypeShape {
  /// The operations that lead from this shape to `other` without any doubt.
  ///
  /// Additions that are optional or have a value in `defaults`, removals, and required members that
  /// become optional. Everything else needs an author's decision and is returned as `undecided`. A
  /// rename is never guessed: it shows as a removal and an addition. A key that goes is undecided.
  public func inferredOperations(
    to other: TypeShape, defaults: [String: Value] = [:]
  ) -> (operations: [RecordOperation], undecided: [SchemaDifference]) {
    var operations: [RecordOperation] = []
    var undecided: [SchemaDifference] = []
    for difference in differences(to: other, ignoringIdentities: true) {
      switch difference {
      case .memberRemoved(_, let member, _)
      where index(ofMember: member) != nil && member != keyMember:
        operations.append(.remove(member: member))
      case .memberAdded(_, let member, let type)
      where other.index(ofMember: member) != nil
        && (type.isOptional || defaults[member]?.isValid(for: type) == true):
        operations.append(.add(member: member, type: type, default: defaults[member]))
      case .madeOptional(_, let member) where index(ofMember: member) != nil:
        operations.append(.makeOptional(member: member))
      default:
        undecided.append(difference)
      }
    }
    return (operations, undecided)
  }

  /// This shape, declared in code, with the identities that `derived` knows by name.
  ///
  /// Members and types that `derived` lacks keep their own. The order of members stays.
  public func adoptingIdentities(from derived: TypeShape) throws(SchemaError) -> TypeShape {
    try TypeShape(
      name: name, identity: derived.identity, keyMember: keyMember,
      members: members.map { member in
        let known = derived.members.first { $0.name == member.name }
        return MemberShape(
          name: member.name, type: member.type, identity: known?.identity ?? member.identity)
      })
  }
}
