internal import SchemaRegistry

/// Collects the members by which a model knows the elements of its lists.
struct ElementKeyVisitor: MemberVisitor {
  /// By the path of the list.
  private(set) var keys: [String: String] = [:]

  mutating func member<Member: StorableValue>(
    _ name: StaticString, _ value: inout Member
  ) throws(StoreError) {
    for (path, key) in Member.elementKeys {
      keys[path.isEmpty ? name.description : "\(name).\(path)"] = key
    }
  }

  /// Objects without a visitor of their own have no such members.
  mutating func members(
    _ types: [(name: String, type: FieldType)], _ values: inout [String: Value]
  ) {}
}
