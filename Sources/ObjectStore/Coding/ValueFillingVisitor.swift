internal import SchemaRegistry

/// Fills an object's members by name.
struct ValueFillingVisitor: MemberVisitor {
  let type: String
  let values: [String: Value]

  mutating func member<Member: StorableValue>(
    _ name: StaticString, _ value: inout Member
  ) throws(StoreError) {
    guard let found = values[name.description], let decoded = Member(dynamicValue: found) else {
      throw .schema(
        .invalidValue(
          type: type, member: name.description, reason: "\(Member.memberType) expected"))
    }
    value = decoded
  }

  mutating func members(
    _ types: [(name: String, type: FieldType)], _ values: inout [String: Value]
  ) throws(StoreError) {
    values = self.values
  }
}
