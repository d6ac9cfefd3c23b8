import ObjectStore

/// An object with an index of a member.
struct Note: StorableObject {
  static let primaryKey = "id"
  static let indexes = [IndexDeclaration("text")]
  var id = 0
  var text = ""

  mutating func visitMembers<Visitor: MemberVisitor>(
    _ visitor: inout Visitor
  ) throws(StoreError) {
    try visitor.member("id", &id)
    try visitor.member("text", &text)
  }
}
