internal import SchemaRegistry

/// What the models of a configuration declare, without a history.
struct DeclaredModels {
  struct Declared {
    let name: String
    let keyMember: String
    let members: [(name: String, type: FieldType)]
    let formerNames: [String: String]
    /// The initial values of members, but for those that differ from one object to the next.
    let defaults: [String: Value]
  }

  let types: [Declared]

  init(_ models: [any StorableObject.Type]) throws(StoreError) {
    types = try models.map { (model) throws(StoreError) in try Self.declared(model) }
  }

  private static func declared<Model: StorableObject>(
    _ model: Model.Type
  ) throws(StoreError) -> Declared {
    let first = try values(of: Model())
    let second = try values(of: Model())
    return Declared(
      name: model.typeName, keyMember: model.primaryKey,
      members: try ShapeVisitor.members(of: model), formerNames: model.formerNames,
      defaults: first.filter { second[$0.key] == $0.value })
  }

  private static func values<Model: StorableObject>(
    of object: Model
  ) throws(StoreError) -> [String: Value] {
    var object = object
    var visitor = ValueCollectingVisitor()
    try object.visitMembers(&visitor)
    return visitor.values
  }

  /// The schema that they make up in a store that never had another one.
  func schema(at version: SchemaVersion) throws(SchemaError) -> SchemaShape {
    try SchemaShape(
      version: version,
      types: types.map { (type) throws(SchemaError) in
        try TypeShape(
          name: type.name,
          identity: TypeIdentity(introducedIn: version, originalName: type.name),
          keyMember: type.keyMember,
          members: type.members.map { MemberShape($0.name, $0.type, introducedIn: version) })
      })
  }
}
