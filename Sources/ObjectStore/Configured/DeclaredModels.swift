internal import SchemaRegistry

/// What the models of a configuration declare, without a history.
struct DeclaredModels {
  struct Declared {
    let name: String
    let keyMember: String
    let members: [(name: String, type: FieldType)]
    let formerNames: [String: String]
    /// What members begin with, and those inside of embedded objects.
    let initial: EmbeddedInitialValues

    /// The initial values of members, but for those that differ from one object to the next.
    var defaults: [String: Value] { initial.values }
    /// The same inside embedded objects, by the member that is or holds one.
    var embedded: [String: EmbeddedInitialValues] { initial.inner }

    /// The names that a member had before, the newest first.
    func formerNames(of member: String) -> [String] {
      var names = [member]
      while let former = formerNames[names[names.count - 1]], !names.contains(former) {
        names.append(former)
      }
      return Array(names.dropFirst())
    }
  }

  let types: [Declared]

  init(_ models: [any StorableObject.Type]) throws(StoreError) {
    types = try models.map { (model) throws(StoreError) in try Self.declared(model) }
  }

  private static func declared<Model: StorableObject>(
    _ model: Model.Type
  ) throws(StoreError) -> Declared {
    let first = try initialValues(of: model)
    let second = try initialValues(of: model, after: first)
    return Declared(
      name: model.typeName, keyMember: model.primaryKey,
      members: try ShapeVisitor.members(of: model), formerNames: model.formerNames,
      initial: first.initial.common(with: second.initial))
  }

  private static func initialValues<Model: StorableObject>(
    of model: Model.Type, after other: InitialValueVisitor? = nil
  ) throws(StoreError) -> InitialValueVisitor {
    var (object, isPlaceholder) = PlaceholderNotes.object(of: model)
    var visitor = InitialValueVisitor(after: other, isPlaceholder: isPlaceholder)
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
