internal import SchemaRegistry

/// Values of embedded objects, and of what holds them, whose types change over versions.
extension Value {
  /// An object with the members of `other` that it lacks, inside of its objects as well; any other
  /// value as it is.
  func completed(by other: Value) -> Value {
    guard case .object(let members) = self, case .object(let others) = other else { return self }
    return .object(members.merging(others) { $0.completed(by: $1) })
  }

  /// Without the members of embedded objects that one of `forms` lacks, which are new if they come
  /// back (R23), and without those whose value the last one cannot hold.
  ///
  /// An object may lack members, and stand for each of those that a container holds.
  func kept(through forms: [FieldType]) -> Value {
    switch self {
    case .object(let members):
      let shapes = forms.map { EmbeddedMembers($0)?.members ?? [] }
      var kept: [String: Value] = [:]
      for (name, value) in members {
        let types = shapes.compactMap { shape in shape.first { $0.name == name }?.type }
        guard types.count == shapes.count else { continue }
        let inside = value.kept(through: types)
        let isObject = if case .object = inside { true } else { false }
        if isObject || types.last.map(inside.isValid) ?? true { kept[name] = inside }
      }
      return .object(kept)
    case .list(let elements):
      return .list(elements.map { $0.kept(through: forms) })
    case .dictionary(let values):
      return .dictionary(values.mapValues { $0.kept(through: forms) })
    default: return self
    }
  }

  /// With what `initial` says of the members that its embedded objects lack as values of `type`.
  func completed(for type: FieldType, _ initial: EmbeddedInitialValues) -> Value {
    switch (self, type.unwrapped) {
    case (.object(var values), .object(let members)):
      for member in members {
        let inside = initial.inner[member.name] ?? EmbeddedInitialValues()
        values[member.name] =
          values[member.name]?.completed(for: member.type, inside) ?? initial.values[member.name]
      }
      return .object(values)
    case (.list(let elements), .list(let type)):
      return .list(elements.map { $0.completed(for: type, initial) })
    case (.dictionary(let values), .dictionary(let type)):
      return .dictionary(values.mapValues { $0.completed(for: type, initial) })
    default: return self
    }
  }
}
