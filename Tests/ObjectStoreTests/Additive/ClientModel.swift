import ObjectStore

/// A model whose members are chosen at run time: each session of a test is another app.
struct ClientModel: StorableObject {
  struct Member {
    let name: String
    let type: FieldType
    let initial: Value
  }

  @TaskLocal static var members: [Member] = []

  static let typeName = "Thing"
  static let primaryKey = "id"
  var values: [String: Value]

  init() {
    values = ["id": 0]
    for member in Self.members { values[member.name] = member.initial }
  }

  init(_ values: [String: Value]) { self.values = values }

  mutating func visitMembers<Visitor: MemberVisitor>(
    _ visitor: inout Visitor
  ) throws(StoreError) {
    let types: [(name: String, type: FieldType)] =
      [("id", .int64)] + Self.members.map { ($0.name, $0.type) }
    try visitor.members(types, &values)
    // What the app does not know is not for it to see.
    values = values.filter { value in types.contains { $0.name == value.key } }
  }
}
