internal import SchemaRegistry

/// Collects an object's members by name: for objects whose members the store keeps in other order.
struct ValueCollectingVisitor: MemberVisitor {
  private(set) var values: [String: Value] = [:]

  mutating func member<Member: StorableValue>(
    _ name: StaticString, _ value: inout Member
  ) throws(StoreError) {
    values[name.description] = value.dynamicValue
  }
}
