internal import SchemaRegistry

/// Collects by what a model knows the elements of its lists and sets.
struct ElementIdentityVisitor: MemberVisitor {
  /// By the path of the list.
  private(set) var identities: [String: ElementIdentity] = [:]

  mutating func member<Member: StorableValue>(
    _ name: StaticString, _ value: inout Member
  ) throws(StoreError) {
    for (path, identity) in Member.elementIdentities {
      identities[path.isEmpty ? name.description : "\(name).\(path)"] = identity
    }
  }

  /// Objects without a visitor of their own have no such members.
  mutating func members(
    _ types: [(name: String, type: FieldType)], _ values: inout [String: Value]
  ) {}
}
