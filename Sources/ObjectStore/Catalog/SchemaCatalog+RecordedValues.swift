internal import SchemaRegistry

/// What versions of configurations and of additive apps recorded that older objects hold, of a
/// member by the identities that it has had, the newest first.
extension SchemaCatalog {
  /// The value that objects of `version` have in a member which is newer than they are, or which
  /// was optional then: what the first later version recorded that says so. Nothing when none did.
  ///
  /// What a version recorded in which the member was optional still is no value for nil, which
  /// `isForNil` asks for: only objects that lacked the member got it. Of two side by side that is
  /// what was recorded of the newer one, and of the older one where nothing was. Of embedded
  /// objects it goes on as objects of that version do: without what later versions gave up, and
  /// with what they added, of which `initial` says the rest.
  func recordedValue(
    of members: [MemberIdentity], in type: TypeIdentity, as wanted: FieldType,
    after version: SchemaVersion, isForNil: Bool, _ initial: EmbeddedInitialValues
  ) -> Value? {
    for later in versionsThatRecorded where later > version {
      let shown = shown(members, of: type, at: later)
      let meant = shown.prefix { !isForNil || !$0.type.isOptional }.map(\.identity)
      let defaults = ledger[later]?.defaults ?? []
      let model = models[later]?[type]
      // Where nothing tells which of them it is there, any.
      let values = (shown.isEmpty ? members : meant).lazy.compactMap { member in
        defaults.first { $0.type == type && $0.member == member }?.value ?? model?.values[member]
      }
      guard let value = values.first else { continue }
      let inside = initial.overlaid(by: addedInside(members, of: type, as: wanted, after: later))
      let current = value.kept(through: forms(of: members, in: type) { $0 > later } + [wanted])
        .completed(for: wanted, inside)
      if current.isValid(for: wanted) { return current }
    }
    return nil
  }

  /// What later versions recorded for members that they added inside of embedded objects, which
  /// objects of `version` lack, as far as it fits.
  func addedInside(
    _ members: [MemberIdentity], of type: TypeIdentity, as wanted: FieldType,
    after version: SchemaVersion
  ) -> EmbeddedInitialValues {
    var found = EmbeddedInitialValues()
    for later in versionsThatRecorded where later > version {
      // The newer one of two has the form that counts; what was added the older one may tell.
      let shown = shown(members, of: type, at: later)
      guard let newest = shown.first else { continue }
      let forms = [newest.type] + forms(of: members, in: type) { $0 > later } + [wanted]
      for member in shown {
        for added in ledger[later]?.embeddedDefaults ?? []
        where added.type == type && added.member == member.identity {
          found = EmbeddedInitialValues(recorded: added.value, since: [], through: forms)
            .overlaid(by: found)
        }
      }
      // It says what earlier versions recorded, too, with what was added inside of that since.
      let model = models[later]?[type]
      if let (older, added) = model?.addedInside(shown.map(\.identity), after: version) {
        let before = self.forms(of: members, in: type) { $0 >= older && $0 < later }
        found = found.overlaid(
          by: EmbeddedInitialValues(recorded: added, since: before, through: forms))
      }
    }
    return found
  }

  private var versionsThatRecorded: [SchemaVersion] {
    Set(models.keys).union(ledger.keys).sorted()
  }

  /// Those of the members that a version has, in their order.
  private func shown(
    _ members: [MemberIdentity], of type: TypeIdentity, at version: SchemaVersion
  ) -> [MemberShape] {
    let known = shapes[version]?.type(type)?.members ?? []
    return members.compactMap { identity in known.first { $0.identity == identity } }
  }

  /// The types that a member has in versions.
  private func forms(
    of members: [MemberIdentity], in type: TypeIdentity, where isMeant: (SchemaVersion) -> Bool
  ) -> [FieldType] {
    shapes.keys.filter(isMeant).compactMap { shown(members, of: type, at: $0).first?.type }
  }
}
