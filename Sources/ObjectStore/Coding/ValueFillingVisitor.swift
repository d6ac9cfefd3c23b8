internal import BinaryCoding
internal import SchemaRegistry

/// Fills an object's members by name.
struct ValueFillingVisitor: MemberVisitor {
  let type: String
  let values: [String: Value]
  /// The object's key, for people; empty for an embedded one.
  var keyText = ""
  /// Whether the values are not those that are stored, but what the policy for failures gave.
  var isGiven = false

  mutating func member<Member: StorableValue>(
    _ name: StaticString, _ value: inout Member
  ) throws(StoreError) {
    let found = values[name.description]
    guard let found, let decoded = Member(dynamicValue: found) else {
      throw .schema(refusal(of: found, in: name.description, by: Member.self))
    }
    value = decoded
  }

  /// Why a member cannot hold what was found for it: what reading its bytes says, if they are such.
  private func refusal<Member: StorableValue>(
    of found: Value?, in member: String, by memberType: Member.Type
  ) -> SchemaError {
    switch found.flatMap({ BinaryDecodingError(reading: $0, as: memberType) }) {
    case .unknownCase(let unknown, _)?: unknown.error(in: member, of: type, keyText)
    case let cause? where isGiven:
      .invalidValue(
        type: type, member: member,
        reason: "the policy for failures gave what it does not hold: \(cause.withoutPlace)")
    case let cause?:
      .malformedPayload(
        type: type, keyText: keyText, reason: "\(member): \(cause.withoutPlace)")
    case nil: .invalidValue(type: type, member: member, reason: "\(Member.memberType) expected")
    }
  }

  mutating func members(
    _ types: [(name: String, type: FieldType)], _ values: inout [String: Value]
  ) throws(StoreError) {
    values = self.values
  }
}
