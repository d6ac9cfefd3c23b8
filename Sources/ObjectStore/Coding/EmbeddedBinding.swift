internal import SchemaRegistry

/// How an embedded object of a model lies in that of the store, which may have members that the
/// model has not.
///
/// The object may lie in containers of any depth. They have no hidden members themselves, so one
/// binding is that of all values on the way to the object: `level` says in how many lists they are.
struct EmbeddedBinding: Sendable {
  /// The member that is or holds the object, as in `home.place`.
  let path: String
  /// By what the model knows the elements of each list around the object, the outermost first.
  let identities: [ElementIdentity?]
  /// The paths of the sets in those elements.
  let sets: Set<String>
  /// The members that the model does not have, with their values in new objects.
  private let hidden: [String: Value]
  /// The embedded objects in it that have such members.
  private let inner: [(name: String, binding: EmbeddedBinding)]

  /// Nothing when the model has all members that the store has.
  ///
  /// `identities` are that by which the model knows the elements of lists, by the path of those;
  /// `defaults` is what is known of values in new objects. Members that need one and have none are
  /// noted as `lost`, by their path: a model without them would give new objects other values than
  /// the models that have them.
  init?(
    knowing identities: [String: ElementIdentity] = [:], model: FieldType, store: FieldType,
    defaults: RecordedDefault, path: String,
    lost: inout [(path: String, type: FieldType)]
  ) {
    guard let known = EmbeddedMembers(model), let stored = EmbeddedMembers(store) else {
      return nil
    }
    var hidden: [String: Value] = [:]
    var inner: [(name: String, binding: EmbeddedBinding)] = []
    for member in stored.members {
      let recorded = defaults[member.name]
      if let match = known.members.first(where: { $0.name == member.name }) {
        let binding = EmbeddedBinding(
          knowing: identities, model: match.type, store: member.type, defaults: recorded,
          path: "\(path).\(member.name)", lost: &lost)
        if let binding { inner.append((member.name, binding)) }
      } else {
        if !recorded.isKnown(as: member.type) {
          lost.append(("\(path).\(member.name)", member.type))
        }
        hidden[member.name] = recorded.value(as: member.type)
      }
    }
    guard !hidden.isEmpty || !inner.isEmpty else { return nil }
    self.path = path
    self.identities = stored.containers.filter { $0 == .list }.indices.map {
      identities[ElementLook.path(path, level: $0)]
    }
    sets = Set(identities.filter { $0.value.isSet && $0.key.hasPrefix("\(path).") }.keys)
    self.hidden = hidden
    self.inner = inner
  }

  /// What the store keeps for a model's value: with the hidden members of what was there before.
  ///
  /// What is in a dictionary is the same as long as its key is; for lists see
  /// ``EmbeddedBinding/completed(_:overElements:level:)``.
  func completed(
    _ value: Value, over old: Value?, level: Int = 0
  ) throws(ElementsNotToldApart) -> Value {
    switch value {
    case .object(var members):
      let before = Self.members(old ?? .null)
      for (name, value) in hidden { members[name] = before[name] ?? value }
      for (name, binding) in inner {
        members[name] = try binding.completed(members[name] ?? .null, over: before[name])
      }
      return .object(members)
    case .dictionary(var elements):
      var before: [String: Value] = [:]
      if case .dictionary(let values)? = old { before = values }
      for (key, element) in elements {
        elements[key] = try completed(element, over: before[key], level: level)
      }
      return .dictionary(elements)
    case .list(let elements):
      var before: [Value] = []
      if case .list(let values)? = old { before = values }
      return .list(try completed(elements, overElements: before, level: level))
    default: return value
    }
  }

  /// A value of the store without the members that the model does not have.
  func reduced(_ value: Value) -> Value {
    switch value {
    case .object(var members):
      for name in hidden.keys { members[name] = nil }
      for (name, binding) in inner { members[name] = members[name].map { binding.reduced($0) } }
      return .object(members)
    case .dictionary(let elements): return .dictionary(elements.mapValues { reduced($0) })
    case .list(let elements): return .list(elements.map { reduced($0) })
    default: return value
    }
  }

  private static func members(_ value: Value) -> [String: Value] {
    if case .object(let members) = value { members } else { [:] }
  }
}
