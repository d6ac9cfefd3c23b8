/// Counts the members that may be absent: so many bits stand before an embedded object.
struct OptionalCountingVisitor: MemberVisitor {
  private(set) var count = 0

  mutating func member<Member: StorableValue>(
    _ name: StaticString, _ value: inout Member
  ) throws(StoreError) {
    if Member.isOptional { count += 1 }
  }
}
