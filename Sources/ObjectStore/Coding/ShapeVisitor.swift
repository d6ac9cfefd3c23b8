internal import SchemaRegistry

/// Collects the names and types of a model's members.
struct ShapeVisitor: MemberVisitor {
  private(set) var members: [(name: String, type: FieldType)] = []

  mutating func member<Member: StorableValue>(
    _ name: StaticString, _ value: inout Member
  ) throws(StoreError) {
    members.append((name.description, Member.memberType))
  }

  /// The members of `model`, in the order in which it visits them.
  static func members<Model: StorableObject>(
    of model: Model.Type
  ) throws(StoreError) -> [(name: String, type: FieldType)] {
    var visitor = ShapeVisitor()
    var object = Model()
    try object.visitMembers(&visitor)
    return visitor.members
  }
}
