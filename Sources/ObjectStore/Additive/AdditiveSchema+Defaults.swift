internal import SchemaRegistry

/// What members have in objects of apps that do not know them.
extension AdditiveSchema {
  /// By type and member: what was recorded when they were added, by `added` at last, and what the
  /// models of configurations said.
  func recordedDefaults(
    of shape: SchemaShape, with added: RecordedVersion?
  ) throws(StoreError) -> [TypeIdentity: [MemberIdentity: RecordedDefault]] {
    var defaults: [TypeIdentity: [MemberIdentity: RecordedDefault]] = [:]
    var entries = catalog.ledger.values.sorted { $0.version < $1.version }
    if let added { entries.append(added) }
    for entry in entries {
      for known in entry.defaults ?? [] {
        defaults[known.type, default: [:]][known.member, default: RecordedDefault()].whole =
          known.value
      }
      let before = catalog.shapes[SchemaVersion(entry.version.rawValue &- 1)]
      for inside in entry.embeddedDefaults {
        let members = before?.type(inside.type)?.members
        guard let type = members?.first(where: { $0.identity == inside.member })?.type else {
          throw .malformedCatalog(
            reason: "it does not describe the members that version \(entry.version) adds to")
        }
        defaults[inside.type, default: [:]][inside.member, default: RecordedDefault()]
          .add(inside.value, inside: type)
      }
      for inner in entry.innerDefaults {
        defaults[inner.type, default: [:]][inner.member, default: RecordedDefault()]
          .add(inner.value, at: inner.path[...])
      }
    }
    let models = catalog.models.sorted { $0.key > $1.key }.map(\.value)
    for type in shape.types {
      for member in type.members {
        let values = models.compactMap { $0[type.identity]?.values[member.identity] }
        if values.isEmpty { continue }
        defaults[type.identity, default: [:]][member.identity, default: RecordedDefault()]
          .configured = values
      }
    }
    return defaults
  }

  /// What members of a new type have in objects of apps that do not know them.
  static func defaults(
    of type: TypeShape, _ model: DeclaredModels.Declared
  ) -> [MemberDefault] {
    type.members.compactMap { member in
      guard member.name != type.keyMember,
        let value = model.initial.newObjectValue(of: member.name)
      else { return nil }
      return MemberDefault(type: type.identity, member: member.identity, value: value)
    }
  }

  /// What embedded objects have that a member may have later, in objects of such apps.
  static func innerDefaults(
    of member: MemberShape, in type: TypeShape, _ model: DeclaredModels.Declared
  ) -> [InnerDefault] {
    let unsaid = model.embedded[member.name]?
      .unsaid(by: model.initial.newObjectValue(of: member.name), of: member.type)
    return (unsaid ?? []).map {
      InnerDefault(
        type: type.identity, member: member.identity, path: $0.path, value: $0.value)
    }
  }
}
