/// The way of a member's values back through a history, for as long as they stay what they are:
/// what tells whether links that only models know were made before a barrier changed their keys.
///
/// Followed as declared links are carried along: through other names of members and types, into
/// embedded objects, and to the types that `Move` and `ExtractType` took them from. It ends where
/// an operation gives the member other values.
struct LinkTrail: Hashable {
  let type: TypeIdentity
  private(set) var member: MemberIdentity
  /// The names that lead from the member to the link; none for the member itself.
  private(set) var path: [String]

  /// Goes back over operations; false when one of them gives the values.
  mutating func goBack(over operations: [ResolvedOperation]) -> Bool {
    for operation in operations.reversed() where operation.kind.member == member {
      switch operation.kind {
      case .set: return false
      case .compute(_, _, let inputs, let computation, _):
        guard case .expression(let expression) = computation,
          let origin = expression.origin(of: path), let name = origin.first,
          let input = inputs.first(where: { $0.name == name })
        else { return false }
        member = input.member
        path = Array(origin.dropFirst())
      case .transform(_, let transform):
        guard let name = path.first,
          let target = transform.target.first(where: { $0.name == name })
        else { return false }
        var inner = LinkTrail(
          type: type, member: target.identity, path: Array(path.dropFirst()))
        guard inner.goBack(over: transform.operations),
          let source = transform.source.first(where: { $0.identity == inner.member })
        else { return false }
        path = [source.name] + inner.path
      case .remove, .fill, .widen, .drop, .rewrite: continue
      }
    }
    return true
  }

  /// What the link holds in `shape`, in which there may be no such member.
  func linkType(in shape: SchemaShape) -> FieldType? {
    guard var found = shape.type(type)?.members.first(where: { $0.identity == member })?.type else {
      return nil
    }
    for name in path {
      guard case .object(let members) = found.innermost,
        let next = members.first(where: { $0.name == name })
      else { return nil }
      found = next.type
    }
    return found.innermost
  }
}

extension ValueExpression {
  /// Where what lies at `path` in the result is read: a member and the names in it, as far as
  /// declared links are carried along; nothing for what is computed.
  fileprivate func origin(of path: [String]) -> [String]? {
    switch self {
    case .field, .object, .setting: source(of: path)
    default: nil
    }
  }

  private func source(of path: [String]) -> [String]? {
    switch self {
    // A member that is put into an object as a whole leaves what it means behind.
    case .member(let name): path.isEmpty ? nil : [name] + path
    case .field(let inner, let name): inner.source(of: [name] + path)
    case .object(let parts):
      parts.first { $0.name == path.first }?.value.source(of: Array(path.dropFirst()))
    case .setting(let inner, let name, let value):
      path.first == name
        ? value.source(of: Array(path.dropFirst()))
        : path.isEmpty ? nil : inner.source(of: path)
    default: nil
    }
  }
}
