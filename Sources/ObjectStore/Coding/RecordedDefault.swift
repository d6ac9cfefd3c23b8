internal import SchemaRegistry

/// What a member has where nobody said it, and what was added inside its embedded objects later.
///
/// The two are kept apart: nil and an empty dictionary are values, too, whatever was added inside
/// of the objects that they do not have.
struct RecordedDefault: Sendable {
  /// What was recorded of the member as a whole; it lacks what was added inside later.
  var whole: Value?
  /// The same for the members of the object that it is, or of each object that it has.
  private var members: [String: RecordedDefault] = [:]

  /// The same for a member of the object.
  subscript(name: String) -> RecordedDefault {
    var found = members[name] ?? RecordedDefault()
    if found.whole == nil, case .object(let values)? = whole { found.whole = values[name] }
    return found
  }

  /// Takes in an object with the values that one version added inside.
  ///
  /// What `type` has, the member's type in the version before, was not added itself: something
  /// was inside of it.
  mutating func add(_ values: Value, inside type: FieldType) {
    guard case .object(let values) = values else { return }
    let known = EmbeddedMembers(type)?.members ?? []
    for (name, value) in values {
      if let member = known.first(where: { $0.name == name }) {
        members[name, default: RecordedDefault()].add(value, inside: member.type)
      } else {
        members[name, default: RecordedDefault()].whole = value
      }
    }
  }

  /// Whether it says what a member of `type` has in new objects; nil needs not be said.
  func isKnown(as type: FieldType) -> Bool {
    if whole != nil || type.isOptional { return true }
    guard let stored = EmbeddedMembers(type), !stored.isDictionary else { return false }
    return stored.members.allSatisfy { self[$0.name].isKnown(as: $0.type) }
  }

  /// The value of `type` for new objects; zero where nothing was recorded.
  func value(as type: FieldType) -> Value { filled(whole ?? type.zeroValue, as: type) }

  /// A value of `type` that may lack members which were added inside of it later.
  private func filled(_ value: Value, as type: FieldType) -> Value {
    guard let stored = EmbeddedMembers(type) else { return value }
    switch value {
    case .object(var members):
      for member in stored.members {
        let inside = self[member.name]
        members[member.name] = inside.filled(
          members[member.name] ?? inside.whole ?? member.type.zeroValue, as: member.type)
      }
      return .object(members)
    case .dictionary(let elements):
      guard case .dictionary(let element) = type.unwrapped else { return value }
      return .dictionary(elements.mapValues { filled($0, as: element) })
    default: return value
    }
  }
}
