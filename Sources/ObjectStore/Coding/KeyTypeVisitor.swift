internal import SchemaRegistry

/// Finds type and value of one member, and asks no other for its type: models may link in circles.
struct KeyTypeVisitor: MemberVisitor {
  let name: String
  private(set) var type: FieldType?
  private(set) var value = Value.null

  init(_ name: String) { self.name = name }

  mutating func member<Member: StorableValue>(
    _ name: StaticString, _ value: inout Member
  ) throws(StoreError) {
    guard name.description == self.name else { return }
    type = Member.memberType
    self.value = value.dynamicValue
  }

  mutating func members(
    _ types: [(name: String, type: FieldType)], _ values: inout [String: Value]
  ) throws(StoreError) {
    type = types.first { $0.name == name }?.type
    value = values[name] ?? .null
  }
}
