internal import BinaryCoding
internal import SchemaRegistry

/// Fills an object's members by name.
struct ValueFillingVisitor: MemberVisitor {
  let type: String
  let values: [String: Value]
  /// The object's key, for people; empty for an embedded one.
  var keyText = ""

  mutating func member<Member: StorableValue>(
    _ name: StaticString, _ value: inout Member
  ) throws(StoreError) {
    let found = values[name.description]
    guard let found, let decoded = Member(dynamicValue: found) else {
      if let found, let unknown = UnknownCase(in: found, as: Member.self) {
        throw .schema(unknown.error(in: name.description, of: type, keyText))
      }
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
