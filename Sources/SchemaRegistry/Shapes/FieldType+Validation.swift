extension FieldType {
  /// Why this type cannot be used, or nil when it can: optional of optional, nesting deeper than
  /// ``SchemaLimits/depth``, empty objects, too many, invalid or repeated member names.
  public var problem: String? { problem(depth: 1) }

  /// The same, perhaps but for empty objects.
  func problem(allowingEmptyObjects: Bool) -> String? {
    problem(depth: 1, allowingEmptyObjects: allowingEmptyObjects)
  }

  private func problem(depth: Int, allowingEmptyObjects: Bool = false) -> String? {
    guard depth <= SchemaLimits.depth else {
      return "the type nests deeper than \(SchemaLimits.depth) levels"
    }
    switch self {
    case .bool, .int32, .int64, .float, .double, .string, .data, .date, .uuid:
      return nil
    case .optional(.optional):
      return "an optional of an optional cannot be stored; use one optional"
    case .optional(let inner), .list(let inner), .dictionary(let inner):
      return inner.problem(depth: depth + 1, allowingEmptyObjects: allowingEmptyObjects)
    case .object(let members):
      if members.isEmpty, !allowingEmptyObjects {
        return "an embedded object needs at least one member"
      }
      if let problem = Self.problem(ofNamesIn: members) { return problem }
      for member in members {
        let problem = member.type.problem(
          depth: depth + 1, allowingEmptyObjects: allowingEmptyObjects)
        if let problem {
          return "\(member.name): \(problem)"
        }
      }
      return nil
    }
  }

  /// Why the names of `members` cannot stand side by side, or nil.
  static func problem(ofNamesIn members: [MemberShape]) -> String? {
    guard members.count <= SchemaLimits.memberCount else {
      return "\(members.count) members are more than the limit of \(SchemaLimits.memberCount)"
    }
    var names = Set<String>(minimumCapacity: members.count)
    for member in members {
      guard SchemaLimits.isValidName(member.name) else {
        return "a member name must have 1 to \(SchemaLimits.nameByteCount) bytes and none of "
          + "the characters \(SchemaLimits.reservedCharacters) or space"
      }
      guard names.insert(member.name).inserted else {
        return "the member name \(member.name) is used twice"
      }
      guard member.identity.introducedIn != .reserved else {
        return "\(member.name) claims the reserved schema version"
      }
      guard SchemaLimits.isValidName(member.identity.originalName) else {
        return "\(member.name) has an invalid original name"
      }
    }
    return nil
  }
}
