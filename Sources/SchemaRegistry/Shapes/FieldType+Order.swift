extension FieldType {
  /// The same type with the members of embedded objects in the order of their names, which makes no
  /// difference to what a value is.
  var sorted: FieldType {
    switch self {
    case .optional(let inner): .optional(inner.sorted)
    case .list(let inner): .list(inner.sorted)
    case .dictionary(let inner): .dictionary(inner.sorted)
    case .object(let members):
      .object(
        members.map { MemberShape(name: $0.name, type: $0.type.sorted, identity: $0.identity) }
          .sorted { $0.name < $1.name })
    default: self
    }
  }
}
