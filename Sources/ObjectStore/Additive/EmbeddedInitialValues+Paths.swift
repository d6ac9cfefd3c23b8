internal import SchemaRegistry

extension EmbeddedInitialValues {
  /// What `whole`, the value of a member of `type`, does not say of the embedded objects that it
  /// may have later, by the names that lead there from the member.
  func unsaid(by whole: Value?, of type: FieldType) -> [(path: [String], value: Value)] {
    guard let stored = EmbeddedMembers(type) else { return [] }
    var said: [String: Value] = [:]
    if case .object(let values)? = whole { said = values }
    // An object that is always there begins as the object around it says.
    let isAlwaysThere = if case .object = type { true } else { false }
    var unsaid: [(path: [String], value: Value)] = []
    for member in stored.members {
      let name = member.name
      let value = newObjectValue(of: name).flatMap { $0.isValid(for: member.type) ? $0 : nil }
      let known = said[name].flatMap { isAlwaysThere || $0 == value ? $0 : nil }
      if known == nil, let value { unsaid.append((path: [name], value: value)) }
      for inside in inner[name]?.unsaid(by: known ?? value, of: member.type) ?? [] {
        unsaid.append((path: [name] + inside.path, value: inside.value))
      }
    }
    return unsaid
  }
}
