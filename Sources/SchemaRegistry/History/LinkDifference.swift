/// How what a member links to differs between two schemas that have it.
public struct LinkDifference: Hashable, Sendable, CustomStringConvertible {
  /// The name of the type that has the member.
  public let type: String
  /// The name of the member, or a path into an embedded object, as in `home.owner`.
  public let member: String
  /// The name of the type whose keys it held; nothing where it was no link.
  public let from: String?
  /// The name of the type whose keys it holds now; nothing where it is no link any more.
  public let to: String?
  /// What the member held.
  public let held: FieldType
  /// What the member holds now.
  public let holds: FieldType
  /// What leads to the member inside of others, as code has it: `On("home")`, `Each("rooms")`.
  public let enclosing: [String]

  /// One line that names `Type.member`, without a full stop.
  public var description: String {
    switch (from, to) {
    case (let from?, let to?): "\(type).\(member) links to \(to), not to \(from)"
    case (let from?, nil): "\(type).\(member) links to \(from) no more"
    default: "\(type).\(member) links to \(to ?? "nothing") now"
    }
  }
}

extension SchemaHistory {
  /// What `other` says at `otherVersion` of the links of members that `version` has, too; types and
  /// members are known by their names.
  public func linkDifferences(
    at version: SchemaVersion, to other: SchemaHistory, at otherVersion: SchemaVersion
  ) throws(SchemaError) -> [LinkDifference] {
    let (shape, otherShape) = (try shape(at: version), try other.shape(at: otherVersion))
    let (old, new) = (try links(at: version), try other.links(at: otherVersion))
    let added = new.filter { link in
      !old.contains { $0.type == link.type && $0.member == link.member }
    }
    return (old + added).compactMap { link in
      let from = old.first { $0.type == link.type && $0.member == link.member }?.target
      let to = new.first { $0.type == link.type && $0.member == link.member }?.target
      guard from != to, let held = shape.fieldType(of: link.type, at: link.member),
        let holds = otherShape.fieldType(of: link.type, at: link.member),
        let members = otherShape.type(named: link.type)?.members,
        let path = members.path(spelled: link.member), let name = path.first
      else { return nil }
      return LinkDifference(
        type: link.type, member: link.member, from: from, to: to, held: held, holds: holds,
        enclosing: Self.words(
          leadingTo: Array(path.dropFirst()), in: name,
          of: members.first { $0.name == name }?.type))
    }
  }
}

extension SchemaShape {
  /// What the member holds to which a path leads, through embedded objects; nothing without one.
  func fieldType(of type: String, at path: String) -> FieldType? {
    guard var members = self.type(named: type)?.members,
      let names = members.path(spelled: path)
    else { return nil }
    var found: FieldType?
    for name in names {
      found = members.first { $0.name == name }?.type
      if case .object(let inner)? = found?.innermost { members = inner } else { members = [] }
    }
    return found
  }
}

extension [MemberShape] {
  /// The names of a path through embedded objects that is spelled with dots between them, where
  /// names may hold some, too; nothing where there is no such path.
  func path(spelled text: String) -> [String]? {
    if contains(where: { $0.name == text }) { return [text] }
    for member in self where text.hasPrefix("\(member.name).") {
      guard case .object(let inner) = member.type.innermost,
        let rest = inner.path(spelled: String(text.dropFirst(member.name.count + 1)))
      else { continue }
      return [member.name] + rest
    }
    return nil
  }
}
