internal import SchemaRegistry

/// What is added inside the embedded objects of a member.
struct EmbeddedGrowth {
  /// On the member; empty when nothing is added.
  private(set) var operations: [RecordOperation] = []
  /// The values of what is added, as an object.
  private(set) var values: Value
  /// What new objects in what is added hold, by the names that lead there from the member.
  private(set) var innerDefaults: [(path: [String], value: Value)] = []
  /// The members, as in `home.zip`, that are required and have no value that is always the same.
  private(set) var withoutDefault: [String] = []

  /// From what is `stored` to what is `wanted` of the member called `name`; nothing when that is
  /// more than additions, and members that are wanted no more.
  init?(
    of name: String, stored: FieldType, wanted: FieldType, initial: EmbeddedInitialValues?,
    path: String
  ) {
    guard let old = EmbeddedMembers(stored), let new = EmbeddedMembers(wanted), old.isLike(new)
    else { return nil }
    var inner: [RecordOperation] = []
    var added: [RecordOperation] = []
    var values: [String: Value] = [:]
    self.values = .null
    for member in new.members {
      guard let known = old.members.first(where: { $0.name == member.name }) else {
        guard
          let value = initial?.values[member.name] ?? (member.type.isOptional ? .null : nil),
          value.isValid(for: member.type)
        else {
          withoutDefault.append("\(path).\(member.name)")
          continue
        }
        added.append(.add(member: member.name, type: member.type, default: value))
        values[member.name] = value
        note(initial?.inner[member.name]?.unsaid(by: value, of: member.type), in: member.name)
        continue
      }
      if known.type.description == member.type.description { continue }
      guard
        let growth = EmbeddedGrowth(
          of: member.name, stored: known.type, wanted: member.type,
          initial: initial?.inner[member.name], path: "\(path).\(member.name)")
      else { return nil }
      inner += growth.operations
      withoutDefault += growth.withoutDefault
      if !growth.operations.isEmpty { values[member.name] = growth.values }
      note(growth.innerDefaults, in: member.name)
    }
    self.values = .object(values)
    if !inner.isEmpty || !added.isEmpty {
      operations = [
        .embedded(member: name, each: !new.containers.isEmpty, operations: inner + added)
      ]
    }
  }

  private mutating func note(_ inside: [(path: [String], value: Value)]?, in name: String) {
    innerDefaults += (inside ?? []).map { (path: [name] + $0.path, value: $0.value) }
  }
}
