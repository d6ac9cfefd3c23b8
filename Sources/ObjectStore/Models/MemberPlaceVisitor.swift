internal import SchemaRegistry

/// Finds the name of the member that lies at a place in memory.
struct MemberPlaceVisitor: MemberVisitor {
  let place: UnsafeRawPointer
  /// The type of what lies there: a member may begin with another value.
  let type: any Any.Type
  /// The name of the member of that type that lies there.
  private(set) var name: String?

  /// - Precondition: values of `type` have a size: of those that have none, several lie there.
  init(_ place: UnsafeRawPointer, _ type: any Any.Type) {
    self.place = place
    self.type = type
  }

  mutating func member<Member: StorableValue>(
    _ name: StaticString, _ value: inout Member
  ) throws(StoreError) {
    guard Member.self == type else { return }
    let visited = withUnsafePointer(to: &value) { UnsafeRawPointer($0) }
    if visited == place { self.name = name.description }
  }

  mutating func members(
    _ types: [(name: String, type: FieldType)], _ values: inout [String: Value]
  ) throws(StoreError) {}
}
