internal import SchemaRegistry

/// What versions of configurations and of additive apps recorded that older objects hold, of a
/// member by the identities that it has had, the newest first.
extension SchemaCatalog {
  /// The value that objects of `version` have in a member which is newer than they are, or which
  /// was optional then: what the first later version recorded that says so. Nothing when none did.
  ///
  /// What a version recorded in which the member was optional still is no value for nil, which
  /// `isForNil` asks for: only objects that lacked the member got it. Of embedded objects it goes
  /// on as objects of that version do: without what later versions gave up, and with what they
  /// added, of which `initial` says the rest.
  func recordedValue(
    of members: [MemberIdentity], in type: TypeIdentity, as wanted: FieldType,
    after version: SchemaVersion, isForNil: Bool, _ initial: EmbeddedInitialValues
  ) -> Value? {
    for later in versionsThatRecorded where later > version {
      let member = member(members, of: type, at: later)
      if isForNil, member?.type.isOptional == true { continue }
      // Where nothing tells which of them it is there, any.
      let meant = member.map { [$0.identity] } ?? members
      let added = ledger[later]?.defaults?
        .first { $0.type == type && meant.contains($0.member) }?.value
      let model = models[later]?[type]
      guard let value = added ?? meant.lazy.compactMap({ model?.values[$0] }).first else {
        continue
      }
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
      guard let member = member(members, of: type, at: later) else { continue }
      let forms = [member.type] + forms(of: members, in: type) { $0 > later } + [wanted]
      for added in ledger[later]?.embeddedDefaults ?? []
      where added.type == type && added.member == member.identity {
        found = EmbeddedInitialValues(recorded: added.value, since: [], through: forms)
          .overlaid(by: found)
      }
      // It says what earlier versions recorded, too, with what was added inside of that since.
      let model = models[later]?[type]
      if let (older, added) = model?.addedInside(member.identity, after: version) {
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

  private func member(
    _ members: [MemberIdentity], of type: TypeIdentity, at version: SchemaVersion
  ) -> MemberShape? {
    shapes[version]?.type(type)?.newestMember(members.firstIndex(of:))
  }

  /// The types that a member has in versions.
  private func forms(
    of members: [MemberIdentity], in type: TypeIdentity, where isMeant: (SchemaVersion) -> Bool
  ) -> [FieldType] {
    shapes.keys.filter(isMeant).compactMap { member(members, of: type, at: $0)?.type }
  }
}
