internal import SchemaRegistry

extension ConfiguredSchema {
  /// What the models mean to this build: their initial values, what they added inside of embedded
  /// objects, and how objects of each older version become current ones.
  func recordedModels(
    _ shape: SchemaShape, _ histories: [SchemaVersion: SchemaHistory]
  ) -> [TypeIdentity: RecordedModel] {
    var recorded: [TypeIdentity: RecordedModel] = [:]
    for model in declared.types {
      guard let type = shape.type(named: model.name) else { continue }
      var values: [MemberIdentity: Value] = [:]
      for member in type.members where member.name != type.keyMember {
        values[member.identity] = model.defaults[member.name]
      }
      recorded[type.identity] = RecordedModel(
        values: values,
        inside: histories.mapValues { history in
          Self.addedInside(type, Self.operations(on: model.name, in: history))
        }.filter { !$0.value.isEmpty },
        sums: histories.mapValues { $0.fingerprint(of: type.identity, through: version) })
    }
    return recorded
  }

  /// The members of a type inside of whose embedded objects operations add something, with the
  /// values.
  private static func addedInside(
    _ type: TypeShape, _ operations: [RecordOperation]
  ) -> [MemberIdentity: Value] {
    var added: [MemberIdentity: Value] = [:]
    for (name, value) in values(addedBy: operations, isInside: false) {
      guard let member = type.members.first(where: { $0.name == name }) else { continue }
      added[member.identity] = value
    }
    return added
  }

  /// What operations add, by the names of members; of the record itself only what is inside.
  private static func values(
    addedBy operations: [RecordOperation], isInside: Bool
  ) -> [String: Value] {
    var values: [String: Value] = [:]
    for operation in operations {
      switch operation {
      case .add(let member, _, let value?, _) where isInside:
        values[member] = value
      case .embedded(let member, _, let operations):
        let inside = Self.values(addedBy: operations, isInside: true)
        if !inside.isEmpty { values[member] = .object(inside) }
      default: break
      }
    }
    return values
  }

  private static func operations(
    on type: String, in history: SchemaHistory
  ) -> [RecordOperation] {
    history.versions.flatMap(\.changes).flatMap { change -> [RecordOperation] in
      guard case .records(type, let operations) = change else { return [] }
      return operations
    }
  }
}
