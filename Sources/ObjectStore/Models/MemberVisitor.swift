public import SchemaRegistry

/// What is shown each member of an object: to describe, to encode or to decode it.
public protocol MemberVisitor {
  /// Called for one member; a decoding visitor replaces `value`.
  mutating func member<Member: StorableValue>(
    _ name: StaticString, _ value: inout Member
  ) throws(StoreError)
  /// Called once with all members of an object that has no visitor of its own; a decoding visitor
  /// replaces the values.
  mutating func members(
    _ types: [(name: String, type: FieldType)], _ values: inout [String: Value]
  ) throws(StoreError)
}

extension MemberVisitor {
  /// For visitors of objects that name their members one by one.
  public mutating func members(
    _ types: [(name: String, type: FieldType)], _ values: inout [String: Value]
  ) throws(StoreError) {
    preconditionFailure("this visitor must be shown members one by one")
  }
}
