internal import SchemaRegistry

/// What follows from comparing the embedded objects that a member is, or holds, with those that it
/// is to hold.
enum EmbeddedComparison {
  /// The operations from what is `stored` to what is `wanted` of the member called `name`: members
  /// inside that are added with a value in `initial` or as optionals, that go, or that became
  /// optional. Nothing when only code can tell.
  ///
  /// The names of embedded members are nowhere followed. So where one goes and another comes that
  /// could hold its values, it may be the same, and code has to say so.
  static func operations(
    on name: String, from stored: FieldType, to wanted: FieldType, _ initial: EmbeddedInitialValues?
  ) -> [RecordOperation]? {
    guard let old = EmbeddedMembers(stored), let new = EmbeddedMembers(wanted), old.isLike(new)
    else { return nil }
    let gone = old.members.filter { member in !new.members.contains { $0.name == member.name } }
    guard gone.count < old.members.count else { return nil }
    var operations: [RecordOperation] = gone.map { .remove(member: $0.name) }
    for member in new.members {
      guard let known = old.members.first(where: { $0.name == member.name }) else {
        guard
          let value = initial?.values[member.name] ?? (member.type.isOptional ? .null : nil),
          value.isValid(for: member.type),
          !gone.contains(where: { isSame($0.type.unwrapped, member.type.unwrapped) })
        else { return nil }
        operations.append(.add(member: member.name, type: member.type, default: value))
        continue
      }
      if isSame(known.type, member.type) { continue }
      if isSame(known.type.madeOptional, member.type) {
        operations.append(.makeOptional(member: member.name))
        continue
      }
      let inside = Self.operations(
        on: member.name, from: known.type, to: member.type, initial?.inner[member.name])
      guard let inside else { return nil }
      operations += inside
    }
    // The order of members alone is no change.
    if operations.isEmpty { return [] }
    return [.embedded(member: name, each: !new.containers.isEmpty, operations: operations)]
  }

  private static func isSame(_ left: FieldType, _ right: FieldType) -> Bool {
    left.description == right.description
  }
}
