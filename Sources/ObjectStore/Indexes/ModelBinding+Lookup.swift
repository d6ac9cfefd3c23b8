internal import SchemaRegistry

extension ModelBinding {
  /// Refuses to look for an unsigned number in a member of signed ones, and for a negative one in a
  /// member of unsigned ones.
  ///
  /// Of unsigned numbers of 64 bits the bits are stored: from 2^63 on they are those of negative
  /// ones, which are found in members of other types. The members' types are asked for only then.
  /// - Throws: ``StoreError/invalidLookup(type:member:reason:)`` where one is given for the other.
  func check<Model: StorableObject>(
    _ values: MemberSelection, of member: String, in model: Model.Type
  ) throws(StoreError) {
    // One that there is not is refused with the names of those that there are.
    guard values.given == .signed || values.given == .unsigned,
      shape.index(ofMember: member) != nil
    else { return }
    let held = try sign(ofMember: member, in: model)
    let reason: String
    switch (values.given, held) {
    case (.unsigned, .signed):
      reason = "an unsigned number from 2^63 on was given, which it cannot hold"
    case (.signed, .unsigned): reason = "it holds unsigned numbers, and a negative one was given"
    default: return
    }
    throw .invalidLookup(
      type: shape.name, member: member, reason: reason + "; give a value of the member's type")
  }
}
