extension SchemaShape {
  /// Every difference from this shape to `other`, types in this shape's order.
  ///
  /// Types are matched by name. The order of types and members is no difference. Types that only
  /// one side has are reported when `includingTypes` is set: they are legal in a store, where a
  /// type missing from the code is kept untouched. Set `ignoringIdentities` when one side was
  /// declared in code, which does not know when its members were introduced.
  public func differences(
    to other: SchemaShape, includingTypes: Bool = false, ignoringIdentities: Bool = false
  ) -> [SchemaDifference] {
    // As they mostly are.
    if self == other { return [] }
    var result: [SchemaDifference] = []
    var others: [String: TypeShape] = [:]
    for type in other.types { others[type.name] = type }
    for type in types {
      if let match = others.removeValue(forKey: type.name) {
        if !ignoringIdentities, type.identity != match.identity {
          result.append(.typeReplaced(type: type.name, from: type.identity, to: match.identity))
        }
        result += type.differences(to: match, ignoringIdentities: ignoringIdentities)
      } else if includingTypes {
        result.append(.typeRemoved(type: type.name))
      }
    }
    if includingTypes {
      for type in other.types where others[type.name] != nil {
        result.append(.typeAdded(type: type.name))
      }
    }
    return result
  }
}

extension TypeShape {
  /// Every difference from this shape to `other`, which is taken for a later shape of this type.
  public func differences(
    to other: TypeShape, ignoringIdentities: Bool = false
  ) -> [SchemaDifference] {
    if self == other { return [] }
    var comparison = ShapeComparison(typeName: name, ignoringIdentities: ignoringIdentities)
    if keyMember != other.keyMember {
      comparison.differences.append(
        .keyChanged(type: name, from: keyMember, to: other.keyMember))
    }
    comparison.compare(members, other.members, path: "")
    return comparison.differences
  }
}

/// Collects the differences of one type; depth is bounded by the shapes, which are checked.
private struct ShapeComparison {
  let typeName: String
  let ignoringIdentities: Bool
  var differences: [SchemaDifference] = []

  mutating func compare(_ old: [MemberShape], _ new: [MemberShape], path: String) {
    var remaining: [String: MemberShape] = [:]
    for member in new { remaining[member.name] = member }
    for member in old {
      let name = path + member.name
      guard let match = remaining.removeValue(forKey: member.name) else {
        differences.append(.memberRemoved(type: typeName, member: name, held: member.type))
        continue
      }
      if !ignoringIdentities, path.isEmpty, member.identity != match.identity {
        differences.append(
          .memberReplaced(
            type: typeName, member: name, from: member.identity, to: match.identity))
      }
      compare(member.type, match.type, path: name)
    }
    for member in new where remaining[member.name] != nil {
      differences.append(
        .memberAdded(type: typeName, member: path + member.name, holds: member.type))
    }
  }

  private mutating func compare(_ old: FieldType, _ new: FieldType, path: String) {
    switch (old, new) {
    case (.optional(let innerOld), .optional(let innerNew)),
      (.list(let innerOld), .list(let innerNew)),
      (.dictionary(let innerOld), .dictionary(let innerNew)):
      if Self.bothHoldObjects(innerOld, innerNew) {
        compare(innerOld, innerNew, path: path)
      } else if old != new {
        changed(path, from: old, to: new)
      }
    case (.object(let oldMembers), .object(let newMembers)):
      compare(oldMembers, newMembers, path: path + ".")
    case (.optional(let wrapped), _):
      differences.append(.madeRequired(type: typeName, member: path))
      compare(wrapped, new, path: path)
    case (_, .optional(let wrapped)):
      differences.append(.madeOptional(type: typeName, member: path))
      compare(old, wrapped, path: path)
    default:
      if old != new { changed(path, from: old, to: new) }
    }
  }

  private mutating func changed(_ path: String, from old: FieldType, to new: FieldType) {
    differences.append(
      .memberTypeChanged(type: typeName, member: path, from: old, to: new))
  }

  /// Whether two types wrap embedded objects in the same way, so that their members compare.
  private static func bothHoldObjects(_ old: FieldType, _ new: FieldType) -> Bool {
    switch (old, new) {
    case (.object, .object): true
    case (.optional(let old), .optional(let new)), (.list(let old), .list(let new)),
      (.dictionary(let old), .dictionary(let new)):
      bothHoldObjects(old, new)
    default: false
    }
  }
}
