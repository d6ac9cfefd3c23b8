/// What is shown each member of an object: to describe, to encode or to decode it.
public protocol MemberVisitor {
  /// Called for one member; a decoding visitor replaces `value`.
  mutating func member<Member: StorableValue>(
    _ name: StaticString, _ value: inout Member
  ) throws(StoreError)
}
