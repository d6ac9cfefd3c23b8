internal import SchemaRegistry

/// What a member has where nobody said it, and what was added inside its embedded objects later.
///
/// The two are kept apart: nil and an empty dictionary or list are values, too, whatever was added
/// inside of the objects that they do not have.
struct RecordedDefault: Sendable {
  /// What was recorded of the member as a whole; it lacks what was added inside later.
  var whole: Value?
  /// What configurations said of it when the store was opened by them, the newest first: for where
  /// nothing was recorded of it as a whole that fits. It comes before what was recorded inside.
  var configured: [Value] = []
  /// The same for the members of the object that it is, or of each object that it has.
  private var members: [String: RecordedDefault] = [:]

  /// The same for a member of the object.
  subscript(name: String) -> RecordedDefault {
    var found = members[name] ?? RecordedDefault()
    if found.whole == nil { found.whole = whole.flatMap { Self.member(name, of: $0) } }
    found.configured = configured.compactMap { Self.member(name, of: $0) }
    return found
  }

  private static func member(_ name: String, of value: Value) -> Value? {
    if case .object(let members) = value { members[name] } else { nil }
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

  /// Takes in the value of a member that `path` leads to.
  mutating func add(_ value: Value, at path: ArraySlice<String>) {
    guard let name = path.first else {
      whole = value
      return
    }
    members[name, default: RecordedDefault()].add(value, at: path.dropFirst())
  }

  /// What was said of the member as a whole, if a value of `type` can be that: a history may have
  /// converted the member since.
  private func said(_ type: FieldType) -> Value? {
    if let value = whole.flatMap({ filled($0, as: type) }) { return value }
    for value in configured {
      if let value = filled(value, as: type) { return value }
    }
    return nil
  }

  /// Whether it says what a member of `type` has in new objects; nil needs not be said.
  func isKnown(as type: FieldType) -> Bool {
    if type.isOptional { return true }
    guard case .object(let members) = type else { return said(type) != nil }
    return members.allSatisfy { self[$0.name].isKnown(as: $0.type) }
  }

  /// The value of `type` for new objects; zero where nothing was said that it can be.
  func value(as type: FieldType) -> Value {
    if let value = said(type) { return value }
    if case .object(let members) = type { return filled([:], with: members) }
    return type.zeroValue
  }

  /// A value of `type` that may lack members which were added inside of it later; nothing when it
  /// is none.
  private func filled(_ value: Value, as type: FieldType) -> Value? {
    guard let stored = EmbeddedMembers(type) else { return value.isValid(for: type) ? value : nil }
    switch (value, type.unwrapped) {
    case (.null, _): return type.isOptional ? value : nil
    case (.object(let members), .object): return filled(members, with: stored.members)
    case (.dictionary(let elements), .dictionary(let element)):
      let fitting = elements.compactMapValues { filled($0, as: element) }
      return fitting.count == elements.count ? .dictionary(fitting) : nil
    case (.list(let elements), .list(let element)):
      let fitting = elements.compactMap { filled($0, as: element) }
      return fitting.count == elements.count ? .list(fitting) : nil
    default: return nil
    }
  }

  private func filled(_ known: [String: Value], with members: [MemberShape]) -> Value {
    var values: [String: Value] = [:]
    for member in members {
      let inside = self[member.name]
      values[member.name] =
        known[member.name].flatMap { inside.filled($0, as: member.type) }
        ?? inside.value(as: member.type)
    }
    return .object(values)
  }
}
