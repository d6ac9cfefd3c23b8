internal import SchemaRegistry

/// What versions of configurations and of additive apps recorded that older objects hold.
extension SchemaCatalog {
  /// The value that objects of `version` have in a member which is newer than they are, or which
  /// was optional then: what the first later version recorded that says so. Nothing when none did.
  ///
  /// What a version recorded in which the member was optional still is no value for nil, which
  /// `isForNil` asks for: only objects that lacked the member got it.
  func recordedValue(
    of member: MemberIdentity, in type: TypeIdentity, as wanted: FieldType,
    after version: SchemaVersion, isForNil: Bool
  ) -> Value? {
    for later in Set(models.keys).union(ledger.keys).sorted() where later > version {
      let shape = shapes[later]?.type(type)?.members.first { $0.identity == member }
      if isForNil, shape?.type.isOptional == true { continue }
      let added = ledger[later]?.defaults?
        .first { $0.type == type && $0.member == member }?
        .value.completed(by: addedInside(member, of: type, after: later))
      let value = added ?? models[later]?[type]?.values[member]
      if let value, value.isValid(for: wanted) { return value }
    }
    return nil
  }

  /// What additive apps recorded for members that they added inside of embedded objects, which
  /// objects of `version` lack; an object without members when they added none.
  func addedInside(
    _ member: MemberIdentity, of type: TypeIdentity, after version: SchemaVersion
  ) -> Value {
    var found = Value.object([:])
    for entry in ledger.values.sorted(by: { $0.version < $1.version })
    where entry.version > version {
      for added in entry.embeddedDefaults where added.type == type && added.member == member {
        found = found.completed(by: added.value)
      }
    }
    return found
  }
}

extension Value {
  /// An object with the members of `other` that it lacks, inside of its objects as well; any other
  /// value as it is.
  fileprivate func completed(by other: Value) -> Value {
    guard case .object(let members) = self, case .object(let others) = other else { return self }
    return .object(members.merging(others) { $0.completed(by: $1) })
  }
}
