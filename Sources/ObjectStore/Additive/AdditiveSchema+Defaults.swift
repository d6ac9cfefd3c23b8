internal import SchemaRegistry

/// What members have in objects of apps that do not know them.
extension AdditiveSchema {
  /// By type and member: what was recorded when they were added, by `added` at last; before that,
  /// what the models of configurations said.
  func recordedDefaults(
    of shape: SchemaShape, with added: RecordedVersion?
  ) throws(StoreError) -> [TypeIdentity: [MemberIdentity: RecordedDefault]] {
    var defaults = configuredDefaults(of: shape)
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
    }
    return defaults
  }

  /// What the models of configurations said, that the store was opened by before; newest first.
  private func configuredDefaults(
    of shape: SchemaShape
  ) -> [TypeIdentity: [MemberIdentity: RecordedDefault]] {
    var defaults: [TypeIdentity: [MemberIdentity: RecordedDefault]] = [:]
    for (_, models) in catalog.models.sorted(by: { $0.key > $1.key }) {
      for type in shape.types {
        for member in type.members where defaults[type.identity]?[member.identity] == nil {
          var recorded = RecordedDefault()
          recorded.whole = models[type.identity]?.values[member.identity]
          // Members may have been added inside of it since.
          guard recorded.whole != nil, recorded.value(as: member.type).isValid(for: member.type)
          else { continue }
          defaults[type.identity, default: [:]][member.identity] = recorded
        }
      }
    }
    return defaults
  }
}
