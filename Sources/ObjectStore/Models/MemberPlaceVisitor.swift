internal import SchemaRegistry

/// Finds the name of the member that lies at a place in memory.
struct MemberPlaceVisitor: MemberVisitor {
  let place: UnsafeRawPointer
  /// The type of what lies there: a member may begin with another value, or have no size.
  let type: any Any.Type
  /// The names of members of that type that lie there; one, but where they have no size.
  private(set) var names: [String] = []

  init(_ place: UnsafeRawPointer, _ type: any Any.Type) {
    self.place = place
    self.type = type
  }

  mutating func member<Member: StorableValue>(
    _ name: StaticString, _ value: inout Member
  ) throws(StoreError) {
    guard Member.self == type else { return }
    let visited = withUnsafePointer(to: &value) { UnsafeRawPointer($0) }
    if visited == place { names.append(name.description) }
  }

  mutating func members(
    _ types: [(name: String, type: FieldType)], _ values: inout [String: Value]
  ) throws(StoreError) {}
}
