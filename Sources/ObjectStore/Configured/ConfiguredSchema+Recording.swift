internal import SchemaRegistry

extension ConfiguredSchema {
  /// Where the members of a type come from, when the newest stored version of it told that already.
  func lineages(of type: TypeIdentity, _ inferred: Inferred) -> MemberLineages {
    let (catalog, version) = (catalog, version)
    let origins = inferred.origins[type]
    let found = (origins ?? [:])
      .merging(inferred.broughtBack[type, default: [:]]) { known, _ in known }
    return MemberLineages(
      current: inferred.target.first { $0.identity == type },
      origins: catalog.origins(of: type).merging(found) { recorded, _ in recorded },
      isRecorded: { introducing in
        introducing == version && origins != nil
          || catalog.recordsOrigins(of: type, in: introducing)
      })
  }

  /// Whether the version says where members of a type come from; not when a library before
  /// decision 143 wrote it, and nobody can tell any more.
  func canRecordOrigins(
    of type: TypeIdentity, _ origins: [MemberIdentity: RecordedLineage.Origin]?
  ) -> Bool {
    let known = catalog.models[version]?[type]
    return origins != nil || known == nil || known?.lineage != nil
  }

  /// What the models mean to this build: their initial values, what they added inside of embedded
  /// objects, how objects of each older version become current ones, and where members come from.
  func recordedModels(
    _ shape: SchemaShape, _ inferred: Inferred
  ) -> [TypeIdentity: RecordedModel] {
    var recorded: [TypeIdentity: RecordedModel] = [:]
    let histories = inferred.histories
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
        sums: histories.mapValues { $0.fingerprint(of: type.identity, through: version) },
        lineage: lineage(of: model, type.identity, inferred))
    }
    return recorded
  }

  /// What those members of a type were that have another identity since.
  static func changed(
    _ found: [String: RecordedLineage.Origin]?, in type: TypeShape
  ) -> [MemberIdentity: RecordedLineage.Origin] {
    var origins: [MemberIdentity: RecordedLineage.Origin] = [:]
    for member in type.members {
      guard let origin = found?[member.name], origin.identity != member.identity else { continue }
      origins[member.identity] = origin
    }
    return origins
  }

  /// What is to be recorded of where members come from; nothing when nobody can tell any more.
  private func lineage(
    of model: DeclaredModels.Declared, _ type: TypeIdentity, _ inferred: Inferred
  ) -> RecordedLineage? {
    guard canRecordOrigins(of: type, inferred.origins[type]) else { return nil }
    let broughtBack = inferred.broughtBack[type, default: [:]].mapValues { origin in
      RecordedLineage.Origin(identity: origin.identity, change: origin.change)
    }
    let names = model.members.map { ($0.name, model.formerNames(of: $0.name)) }
    return RecordedLineage(
      formerNames: Dictionary(names.filter { !$0.1.isEmpty }) { first, _ in first },
      origins: inferred.origins[type, default: [:]].merging(broughtBack) { known, _ in known })
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
