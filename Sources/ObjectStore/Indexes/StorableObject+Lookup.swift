internal import SchemaRegistry

extension StorableObject {
  /// What is looked up for a value of Swift in the member called `member`, or in what it holds.
  ///
  /// Of unsigned numbers of 64 bits the bits are stored: from 2^63 on they are those of negative
  /// ones, which are found in members of other types. The members' types are asked for only then.
  /// - Throws: ``StoreError/invalidLookup(type:member:reason:)`` where one is given for the other.
  static func lookupValue<Given: StorableValue>(
    of value: Given, in member: String
  ) throws(StoreError) -> Value {
    let stored = value.dynamicValue
    guard case .int(let integer) = stored, integer < 0 else { return stored }
    let held = try MemberTypes(of: Self.self).sign(of: member)
    let reason: String
    switch (IntegerSign(of: Given.self), held) {
    case (.unsigned, .signed):
      reason = "an unsigned number from 2^63 on was given, which it cannot hold"
    case (.signed, .unsigned): reason = "it holds unsigned numbers, and a negative one was given"
    default: return stored
    }
    throw .invalidLookup(
      type: typeName, member: member, reason: reason + "; give a value of the member's type")
  }
}
