internal import BinaryCoding

/// Members that were required once, became optional, and were removed when no one needed them but
/// apps from before that. The removal alone does not tell.
extension SchemaHistory {
  /// What apps of `version` need of `type` as they know it and do not find in what the last version
  /// writes, though each operation by itself would let them read.
  func missingMembers(of type: TypeShape, since version: SchemaVersion) -> [Incompatibility] {
    guard let latest = derived[latestVersion]?.shape.type(type.identity) else { return [] }
    let inverses = inverses(of: type.identity, after: version, through: latestVersion)
    return type.members.compactMap { member in
      guard !member.type.isOptional,
        !latest.members.contains(where: { $0.identity == member.identity }),
        !inverses.contains(where: { $0.member == member.identity }),
        let (removal, name) = removal(of: member.identity, in: type.identity, after: version),
        removal.forward.incompatibility == nil
      else { return nil }
      let place = "\(removal.typeName).\(name)"
      return Incompatibility(
        code: .memberRemovedWithoutFallback, operationID: removal.id, place: place,
        version: removal.version,
        reason: "Apps of version \(version) need a value of \(place), and there is none.",
        suggestion: "Say in readAs: what they read instead, or remove it when no such app needs it "
          + "any more.")
    }
  }

  /// The operation that removed a member, and what that was called.
  private func removal(
    of member: MemberIdentity, in type: TypeIdentity, after version: SchemaVersion
  ) -> (OperationDescription, name: String)? {
    var before = derived[version]?.shape.type(type)
    for next in versions where next.number > version {
      let after = derived[next.number]?.shape.type(type)
      defer { before = after }
      guard let name = before?.members.first(where: { $0.identity == member })?.name,
        after?.members.contains(where: { $0.identity == member }) != true
      else { continue }
      let described = operations.filter {
        $0.version == next.number && $0.type == type && $0.operationClass != nil
      }
      let names = Set(described.map(\.typeName))
      let written = next.changes.flatMap { change -> [RecordOperation] in
        guard case .records(let typeName, let operations) = change, names.contains(typeName)
        else { return [] }
        return operations
      }
      let found = zip(described, written).first { _, operation in
        if case .remove(name, _) = operation { true } else { false }
      }
      return found.map { ($0.0, name) }
    }
    return nil
  }
}
