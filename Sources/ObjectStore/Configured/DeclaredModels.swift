internal import SchemaRegistry

/// What the models of a configuration declare, without a history.
struct DeclaredModels {
  struct Declared {
    let name: String
    let keyMember: String
    let members: [(name: String, type: FieldType)]
    /// The types of members as earlier releases found them, where that may be others.
    let earlierTypes: [String: FieldType]
    let formerNames: [String: [String]]
    /// The Swift types of its members.
    let memberTypes: MemberTypes
    /// What members begin with, and those inside of embedded objects.
    let initial: EmbeddedInitialValues
    /// The same of an object that is made now.
    let initialNow: () throws(StoreError) -> EmbeddedInitialValues

    /// The initial values of members, but for those that differ from one object to the next.
    var defaults: [String: Value] { initial.values }
    /// The same inside embedded objects, by the member that is or holds one.
    var embedded: [String: EmbeddedInitialValues] { initial.inner }
    func embedded(_ member: String) -> EmbeddedInitialValues {
      initial.inner[member] ?? EmbeddedInitialValues()
    }

    /// What a new object begins with: values that differ from one to the next are made for it.
    func newObject() throws(StoreError) -> EmbeddedInitialValues {
      members.allSatisfy { initial.newObjectValue(of: $0.name) != nil }
        ? initial : try initialNow()
    }

    /// The names that a member had before, the newest first.
    func formerNames(of member: String) -> [String] {
      formerNames[member, default: []]
    }

    func has(_ member: String) -> Bool { members.contains { $0.name == member } }
  }

  let types: [Declared]

  /// The Swift types of the members of each type.
  var memberTypes: [String: MemberTypes] {
    Dictionary(types.map { ($0.name, $0.memberTypes) }) { first, _ in first }
  }

  init(_ models: [any StorableObject.Type]) throws(StoreError) {
    // A model that links to one of them makes an object of it.
    for model in models { try model.checkStorableMembers() }
    types = try models.map { (model) throws(StoreError) in try Self.declared(model) }
  }

  private static func declared<Model: StorableObject>(
    _ model: Model.Type
  ) throws(StoreError) -> Declared {
    let shape = try ShapeVisitor.visitor(of: model, .types)
    let codable = shape.isCoded ? model as? any Decodable.Type : nil
    // What the visitor just did without an error is done once more.
    let coded = codable.flatMap { try? MemberProbe.embeddedInitialValues(of: $0) } ?? [:]
    let earlier = codable.flatMap { try? MemberProbe.earlierMembers(of: $0) } ?? []
    let first = try initialValues(of: model, coded)
    let second = try initialValues(of: model, coded, after: first)
    return Declared(
      name: model.typeName, keyMember: model.primaryKey, members: shape.members,
      earlierTypes: Dictionary(earlier.map { ($0.name, $0.type) }) { first, _ in first },
      formerNames: model.formerNames, memberTypes: try MemberTypes(of: model),
      initial: first.initial.common(with: second.initial),
      initialNow: { () throws(StoreError) in
        try initialValues(of: model, coded, after: first).initial
      })
  }

  private static func initialValues<Model: StorableObject>(
    of model: Model.Type, _ coded: [String: EmbeddedInitialValues],
    after other: InitialValueVisitor? = nil
  ) throws(StoreError) -> InitialValueVisitor {
    var (object, isPlaceholder) = PlaceholderNotes.object(of: model)
    var visitor = InitialValueVisitor(after: other, isPlaceholder: isPlaceholder, coded: coded)
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

  /// Differences from what is stored, with the renames that the models tell of.
  func naming(_ differences: [SchemaDifference]) -> [SchemaDifference] {
    var differences = differences
    for model in types {
      for member in model.members {
        let added = SchemaDifference.memberAdded(
          type: model.name, member: member.name, holds: member.type)
        guard let index = differences.firstIndex(of: added) else { continue }
        for former in model.formerNames(of: member.name) {
          var held: FieldType?
          let removed = differences.firstIndex { difference in
            guard case .memberRemoved(model.name, former, let type) = difference else {
              return false
            }
            held = type
            return true
          }
          guard let removed, let held else { continue }
          var told: [SchemaDifference] = [
            .memberRenamed(type: model.name, from: former, to: member.name)
          ]
          if held.description != member.type.description {
            told.append(
              .memberTypeChanged(
                type: model.name, member: member.name, from: held, to: member.type))
          }
          differences.remove(at: index)
          let place = removed < index ? removed : removed - 1
          differences.replaceSubrange(place...place, with: told)
          break
        }
      }
    }
    return differences
  }
}
