internal import SchemaRegistry

extension Value {
  /// The value without what the objects in it hold besides the members of `type`.
  func trimmed(to type: FieldType) -> Value {
    switch (self, type.unwrapped) {
    case (.object(let values), .object(let members)):
      var trimmed: [String: Value] = [:]
      for member in members {
        trimmed[member.name] = values[member.name].map { $0.trimmed(to: member.type) }
      }
      return .object(trimmed)
    case (.list(let elements), .list(let element)):
      return .list(elements.map { $0.trimmed(to: element) })
    case (.dictionary(let values), .dictionary(let element)):
      return .dictionary(values.mapValues { $0.trimmed(to: element) })
    default: return self
    }
  }
}
