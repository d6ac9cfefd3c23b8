internal import SchemaRegistry

extension ModelBinding {
  /// Refuses to look for an unsigned number in a member of signed ones, and for a negative one or a
  /// range in a member of unsigned ones.
  ///
  /// Of unsigned numbers of 64 bits the bits are stored: from 2^63 on they are those of negative
  /// ones, which are found in members of other types, and come before all others. The members'
  /// types are asked for only where that may matter.
  /// - Throws: ``StoreError/invalidLookup(type:member:reason:)`` where one is given for the other.
  func check<Model: StorableObject>(
    _ values: MemberSelection, of member: String, in model: Model.Type
  ) throws(StoreError) {
    // One that there is not is refused with the names of those that there are, and one of other
    // values, or of lists, with what these are.
    guard values.isRangeOfIntegers || values.given == .signed || values.given == .unsigned,
      let index = shape.index(ofMember: member),
      let looked = IndexedValueCoding.indexedType(shape.members[index].type)?.unwrapped,
      looked == .int64 || looked == .int32,
      !values.isRangeOfIntegers || IndexedValueCoding.isIndexable(shape.members[index].type)
    else { return }
    let held = try sign(ofMember: member, in: model)
    let reason: String
    switch (values.given, held) {
    case (_, .unsigned) where values.isRangeOfIntegers:
      reason =
        "it holds unsigned numbers of 64 bits, which are not stored in their order, so no range of "
        + "them is looked up; look up a single value, or filter a walk"
    case (.unsigned, .signed):
      reason =
        "an unsigned number from 2^63 on was given, which it cannot hold; "
        + "give a value of the member's type"
    case (.signed, .unsigned):
      reason =
        "it holds unsigned numbers, and a negative one was given; "
        + "give a value of the member's type"
    default: return
    }
    throw .invalidLookup(type: shape.name, member: member, reason: reason)
  }
}
