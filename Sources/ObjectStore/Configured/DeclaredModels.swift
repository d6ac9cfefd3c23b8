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
    /// The same inside embedded objects, by the member that is or holds one.
    let embedded: [String: EmbeddedInitialValues]
  }

  let types: [Declared]

  init(_ models: [any StorableObject.Type]) throws(StoreError) {
    types = try models.map { (model) throws(StoreError) in try Self.declared(model) }
  }

  private static func declared<Model: StorableObject>(
    _ model: Model.Type
  ) throws(StoreError) -> Declared {
    let first = try initialValues(of: Model())
    let second = try initialValues(of: Model(), after: first)
    return Declared(
      name: model.typeName, keyMember: model.primaryKey,
      members: try ShapeVisitor.members(of: model), formerNames: model.formerNames,
      defaults: first.values.filter { second.values[$0.key] == $0.value },
      embedded: EmbeddedInitialValues(values: first.values, inner: first.inner)
        .common(with: EmbeddedInitialValues(values: second.values, inner: second.inner)).inner)
  }

  private static func initialValues<Model: StorableObject>(
    of object: Model, after other: InitialValueVisitor? = nil
  ) throws(StoreError) -> InitialValueVisitor {
    var object = object
    var visitor = InitialValueVisitor(after: other)
    try object.visitMembers(&visitor)
    return visitor
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
