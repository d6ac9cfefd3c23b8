internal import SchemaRegistry

/// Collects an object's members by name: for objects whose members the store keeps in other order.
struct ValueCollectingVisitor: MemberVisitor {
  private(set) var values: [String: Value] = [:]

  mutating func member<Member: StorableValue>(
    _ name: StaticString, _ value: inout Member
  ) throws(StoreError) {
    values[name.description] = value.dynamicValue
  }

  mutating func members(
    _ types: [(name: String, type: FieldType)], _ values: inout [String: Value]
  ) throws(StoreError) {
    self.values.merge(values) { _, new in new }
  }
}
