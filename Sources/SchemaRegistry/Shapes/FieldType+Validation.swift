extension FieldType {
  /// Why this type cannot be used, or nil when it can: optional of optional, nesting deeper than
  /// ``SchemaLimits/depth``, empty objects, too many, invalid or repeated member names.
  public var problem: String? { problem(allowingEmptyObjects: false) }

  /// The same, perhaps but for empty objects.
  func problem(allowingEmptyObjects: Bool) -> String? {
    var room = SchemaLimits.wholeMemberCount
    return problem(takingMembersFrom: &room, allowingEmptyObjects: allowingEmptyObjects)
  }

  /// The same of one of several types that have room for so many members in all.
  func problem(takingMembersFrom room: inout Int, allowingEmptyObjects: Bool = false) -> String? {
    problemOfSize(takingMembersFrom: &room, depth: 1)
      ?? problem(depth: 1, allowingEmptyObjects: allowingEmptyObjects)
  }

  /// Why this type is too large, or nil. To be asked before anything else walks it: expressions of
  /// a few bytes make types in which another one stands twice, time after time.
  var problemOfSize: String? {
    var room = SchemaLimits.wholeMemberCount
    return problemOfSize(takingMembersFrom: &room, depth: 1)
  }

  private func problemOfSize(takingMembersFrom room: inout Int, depth: Int) -> String? {
    guard depth <= SchemaLimits.depth else {
      return "the type nests deeper than \(SchemaLimits.depth) levels"
    }
    switch self {
    case .bool, .int32, .int64, .float, .double, .string, .data, .date, .uuid: return nil
    case .optional(let inner), .list(let inner), .dictionary(let inner):
      return inner.problemOfSize(takingMembersFrom: &room, depth: depth + 1)
    case .object(let members):
      room -= members.count
      guard room >= 0 else {
        return "the members of all objects within are more than the limit of "
          + "\(SchemaLimits.wholeMemberCount)"
      }
      for member in members {
        let problem = member.type.problemOfSize(takingMembersFrom: &room, depth: depth + 1)
        if let problem { return "\(member.name): \(problem)" }
      }
      return nil
    }
  }

  private func problem(depth: Int, allowingEmptyObjects: Bool) -> String? {
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
