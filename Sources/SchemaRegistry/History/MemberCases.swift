/// The cases of a member that holds an enumeration: all the values that it may have, as stored.
///
/// For lists and dictionaries they are those of the elements. Like links, cases are known to
/// histories and models alone, and part of no shape and no fingerprint. Nothing of a declaration is
/// stored; an operation that changes them may store a way back, which names them.
public struct MemberCases: Hashable, Sendable, CustomStringConvertible {
  /// The name of the type that has the member.
  public let type: String
  /// The name of the member, or a path into an embedded object, as in `home.kind`.
  public let member: String
  /// Its cases, in the order they were declared and added.
  public let cases: [Value]
  /// What leads to the member inside of others, as code has it: `On("home")`, `Each("rooms")`;
  /// only histories tell.
  public let enclosing: [String]

  public init(type: String, member: String, cases: [Value], enclosing: [String] = []) {
    self.type = type
    self.member = member
    self.cases = cases
    self.enclosing = enclosing
  }

  /// The cases as code has them, in a row.
  public var caseText: String { cases.caseText }

  public var description: String { "\(type).\(member) is one of \(caseText)" }
}

extension SchemaHistory {
  /// The cases that the history declares for members of `version`, in the order of its shape.
  public func cases(at version: SchemaVersion) throws(SchemaError) -> [MemberCases] {
    let shape = try shape(at: version)
    return meanings(at: version, in: shape).flatMap { type, member, meaning in
      let held = shape.type(named: type)?.members.first { $0.name == member }?.type
      return meaning.caseLists.map { path, cases in
        MemberCases(
          type: type, member: ([member] + path).joined(separator: "."), cases: cases,
          enclosing: Self.words(leadingTo: path, in: member, of: held))
      }
    }
  }
}

extension SchemaHistory {
  /// The operations that lead to what is inside of a member.
  static func words(
    leadingTo path: [String], in member: String, of type: FieldType?
  ) -> [String] {
    guard let name = path.first, let type, case .object(let members) = type.innermost else {
      return []
    }
    var isSingle = false
    if case .object = type.unwrapped { isSingle = true }
    return ["\(isSingle ? "On" : "Each")(\"\(member)\")"]
      + words(
        leadingTo: Array(path.dropFirst()), in: name,
        of: members.first { $0.name == name }?.type)
  }
}

extension Value {
  /// A case as code has it; cases are declared by authors, so a text may show them.
  var caseText: String {
    switch self {
    case .string(let text): String(reflecting: text)
    case .int(let number): "\(number)"
    case .float(let number): "\(number)"
    case .double(let number): "\(number)"
    case .bool(let value): "\(value)"
    default: kindName
    }
  }
}

extension [Value] {
  /// Cases as code has them, in a row.
  package var caseText: String { map(\.caseText).joined(separator: ", ") }
}
