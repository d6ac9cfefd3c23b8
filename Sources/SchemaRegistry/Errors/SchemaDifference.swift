/// One difference between two shapes of a schema; `member` may be a path into embedded objects.
public enum SchemaDifference: Hashable, Sendable {
  case typeAdded(type: String)
  case typeRemoved(type: String)
  /// The same name, but another type: introduced by another version, or under another name.
  case typeReplaced(type: String, from: TypeIdentity, to: TypeIdentity)
  case memberAdded(type: String, member: String, holds: FieldType)
  case memberRemoved(type: String, member: String, held: FieldType)
  /// Where the code says what a member was called before; shapes alone do not tell.
  case memberRenamed(type: String, from: String, to: String)
  case memberTypeChanged(type: String, member: String, from: FieldType, to: FieldType)
  case madeOptional(type: String, member: String)
  case madeRequired(type: String, member: String)
  case keyChanged(type: String, from: String, to: String)
  /// The same name, but removed and introduced again: another member.
  case memberReplaced(type: String, member: String, from: MemberIdentity, to: MemberIdentity)

  /// The name of the type, as in the shape that has it.
  public var typeName: String {
    switch self {
    case .typeAdded(let type), .typeRemoved(let type), .memberAdded(let type, _, _),
      .memberRemoved(let type, _, _), .memberTypeChanged(let type, _, _, _),
      .madeOptional(let type, _), .madeRequired(let type, _), .keyChanged(let type, _, _),
      .memberReplaced(let type, _, _, _), .memberRenamed(let type, _, _),
      .typeReplaced(let type, _, _):
      type
    }
  }

  /// The name of the member; nil when the difference is about the whole type.
  public var memberName: String? {
    switch self {
    case .typeAdded, .typeRemoved, .typeReplaced: nil
    case .memberAdded(_, let member, _), .memberRemoved(_, let member, _),
      .memberTypeChanged(_, let member, _, _), .madeOptional(_, let member),
      .madeRequired(_, let member), .memberReplaced(_, let member, _, _):
      member
    case .keyChanged(_, let from, _), .memberRenamed(_, let from, _): from
    }
  }
}

extension SchemaDifference: CustomStringConvertible {
  /// One line that names `Type.member`, without a full stop.
  public var description: String {
    switch self {
    case .typeAdded(let type): "\(type) was added"
    case .typeRemoved(let type): "\(type) was removed"
    case .typeReplaced(let type, let from, let to):
      "\(type) is another type: \(to.originalName) of version \(to.introducedIn), not "
        + "\(from.originalName) of version \(from.introducedIn)"
    case .memberAdded(let type, let member, let holds):
      "\(type).\(member) was added as \(holds)"
    case .memberRemoved(let type, let member, let held):
      "\(type).\(member) (\(held)) was removed"
    case .memberRenamed(let type, let from, let to):
      "\(type).\(from) was renamed to \(to)"
    case .memberTypeChanged(let type, let member, let from, let to):
      "\(type).\(member) changed from \(from) to \(to)"
    case .madeOptional(let type, let member): "\(type).\(member) was made optional"
    case .madeRequired(let type, let member): "\(type).\(member) was made required"
    case .keyChanged(let type, let from, let to):
      "\(type): the primary key changed from \(from) to \(to)"
    case .memberReplaced(let type, let member, let from, let to):
      "\(type).\(member) is another member: introduced in version \(to.introducedIn), "
        + "not in version \(from.introducedIn)"
    }
  }
}
