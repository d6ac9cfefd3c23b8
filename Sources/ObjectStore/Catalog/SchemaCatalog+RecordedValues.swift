internal import SchemaRegistry

/// What versions of configurations and of additive apps recorded that older objects hold.
extension SchemaCatalog {
  /// The value that objects of `version` have in a member which is newer than they are, or which
  /// was optional then: what the first later version recorded that says so. Nothing when none did.
  ///
  /// What a version recorded in which the member was optional still is no value for nil, which
  /// `isForNil` asks for: only objects that lacked the member got it. Of embedded objects it goes
  /// on as objects of that version do: without what later versions gave up, and with what they
  /// added, of which `initial` says the rest.
  func recordedValue(
    of member: MemberIdentity, in type: TypeIdentity, as wanted: FieldType,
    after version: SchemaVersion, isForNil: Bool, _ initial: EmbeddedInitialValues
  ) -> Value? {
    for later in Set(models.keys).union(ledger.keys).sorted() where later > version {
      let shape = shapes[later]?.type(type)?.members.first { $0.identity == member }
      if isForNil, shape?.type.isOptional == true { continue }
      let added = ledger[later]?.defaults?.first { $0.type == type && $0.member == member }?.value
      guard let value = added ?? models[later]?[type]?.values[member] else { continue }
      let inside = initial.overlaid(by: addedInside(member, of: type, as: wanted, after: later))
      let current = value.kept(through: forms(of: member, in: type, after: later) + [wanted])
        .completed(for: wanted, inside)
      if current.isValid(for: wanted) { return current }
    }
    return nil
  }

  /// What later versions recorded for members that they added inside of embedded objects, which
  /// objects of `version` lack, as far as it fits.
  func addedInside(
    _ member: MemberIdentity, of type: TypeIdentity, as wanted: FieldType,
    after version: SchemaVersion
  ) -> EmbeddedInitialValues {
    var found = EmbeddedInitialValues()
    for later in Set(models.keys).union(ledger.keys).sorted() where later > version {
      let form = shapes[later]?.type(type)?.members.first { $0.identity == member }?.type
      guard let form else { continue }
      let forms = [form] + forms(of: member, in: type, after: later) + [wanted]
      for added in ledger[later]?.embeddedDefaults ?? []
      where added.type == type && added.member == member {
        found = EmbeddedInitialValues(recorded: added.value, through: forms).overlaid(by: found)
      }
      // It says what earlier versions recorded, too, with what was added inside of that since.
      if let added = models[later]?[type]?.addedInside(member, after: version) {
        found = found.overlaid(by: EmbeddedInitialValues(recorded: added, through: forms))
      }
    }
    return found
  }

  /// The types that a member has in versions after one.
  private func forms(
    of member: MemberIdentity, in type: TypeIdentity, after version: SchemaVersion
  ) -> [FieldType] {
    shapes.values.filter { $0.version > version }.compactMap { shape in
      shape.type(type)?.members.first { $0.identity == member }?.type
    }
  }
}
