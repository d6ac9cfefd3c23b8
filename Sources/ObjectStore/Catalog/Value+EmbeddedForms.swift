internal import SchemaRegistry

/// Values of embedded objects, and of what holds them, whose types change over versions.
extension Value {
  /// Without the members of embedded objects that one of `forms` lacks, which are new if they come
  /// back (R23), and without those whose value the last one cannot hold.
  func kept(through forms: [FieldType]) -> Value {
    switch self {
    case .object(let members):
      var kept: [String: Value] = [:]
      for (name, value) in members {
        guard let types = EmbeddedMembers.types(of: name, in: forms) else { continue }
        let inside = value.kept(through: types)
        if types.last.map(inside.mayBecome) ?? true { kept[name] = inside }
      }
      return .object(kept)
    case .list(let elements):
      return .list(elements.map { $0.kept(through: forms) })
    case .dictionary(let values):
      return .dictionary(values.mapValues { $0.kept(through: forms) })
    default: return self
    }
  }

  /// Whether this is a value of `type`, or would be with more members in its embedded objects.
  private func mayBecome(_ type: FieldType) -> Bool {
    switch (self, type.unwrapped) {
    case (.object, .object): true
    case (.list, .list(let element)) where EmbeddedMembers(element) != nil: true
    case (.dictionary, .dictionary(let element)) where EmbeddedMembers(element) != nil: true
    default: isValid(for: type)
    }
  }

  /// With what `initial` says of the members that its embedded objects lack as values of `type`.
  func completed(for type: FieldType, _ initial: EmbeddedInitialValues) -> Value {
    switch (self, type.unwrapped) {
    case (.object(var values), .object(let members)):
      for member in members {
        let known = values[member.name] ?? initial.values[member.name]
        values[member.name] = known?.completed(
          for: member.type, initial.inner[member.name] ?? EmbeddedInitialValues())
      }
      return .object(values)
    case (.list(let elements), .list(let type)):
      return .list(elements.map { $0.completed(for: type, initial) })
    case (.dictionary(let values), .dictionary(let type)):
      return .dictionary(values.mapValues { $0.completed(for: type, initial) })
    default: return self
    }
  }

  /// Whether this is all of a value of `type`, and not only what was added inside of it.
  func isWhole(for type: FieldType) -> Bool {
    guard isValid(for: type) else { return false }
    guard case .object(let values) = self, case .object(let members) = type.unwrapped else {
      return true
    }
    return members.allSatisfy { values[$0.name] != nil }
  }
}
