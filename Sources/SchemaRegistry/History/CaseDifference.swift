/// How the cases of a member differ between two places that declare them.
public struct CaseDifference: Hashable, Sendable, CustomStringConvertible {
  /// The name of the type that has the member.
  public let type: String
  /// The name of the member, or a path into an embedded object, as in `home.kind`.
  public let member: String
  /// The cases that are new.
  public let added: [Value]
  /// The cases that are gone.
  public let removed: [Value]
  /// What leads to the member inside of others, as code has it.
  public let enclosing: [String]

  public init(
    type: String, member: String, added: [Value], removed: [Value], enclosing: [String] = []
  ) {
    self.enclosing = enclosing
    self.type = type
    self.member = member
    self.added = added
    self.removed = removed
  }

  /// What changed between two declarations of cases, for members that both have.
  public static func between(_ old: [MemberCases], _ new: [MemberCases]) -> [CaseDifference] {
    old.compactMap { old in
      guard let other = new.first(where: { $0.type == old.type && $0.member == old.member })
      else { return nil }
      let difference = CaseDifference(
        type: old.type, member: old.member,
        added: other.cases.filter { !old.cases.contains($0) },
        removed: old.cases.filter { !other.cases.contains($0) }, enclosing: old.enclosing)
      return difference.added.isEmpty && difference.removed.isEmpty ? nil : difference
    }
  }

  /// The ways to bring it about, each as operations in Swift, with an ellipsis for a case that the
  /// author must choose. Several where cases came and went: those may be the same under new names.
  public var alternatives: [[String]] {
    let additions = added.isEmpty ? [] : [text("AddCases", "[\(added.caseText)]")]
    let removals = removed.map { text("RemoveCase", "\($0.caseText), to: …") }
    guard !added.isEmpty, !removed.isEmpty else { return [additions + removals] }
    let target = added.count == 1 && removed.count == 1 ? added.caseText : "…"
    let renamings = removed.map { text("RenameCase", "\($0.caseText), to: \(target)") }
    return [renamings, additions + removals]
  }

  /// An operation on the member, in those that lead to it.
  private func text(_ word: String, _ parameters: String) -> String {
    enclosing.leading(to: "\(word)(\"\(enclosing.name(of: member))\", \(parameters))")
  }

  /// One line that names `Type.member`, without a full stop.
  public var description: String {
    var parts: [String] = []
    if !added.isEmpty { parts.append("has \(added.caseText) besides") }
    if !removed.isEmpty { parts.append("lacks \(removed.caseText)") }
    return "\(type).\(member) " + parts.joined(separator: " and ")
  }
}

extension [String] {
  /// `operation` inside of those that lead to it, as code has them.
  package func leading(to operation: String) -> String {
    reversed().reduce(operation) { "\($1) { \($0) }" }
  }

  /// What the member itself is called to whose path these lead; no name holds a quote.
  package func name(of path: String) -> String {
    var rest = Substring(path)
    for word in self {
      let name = word.split(separator: "\"").dropFirst().first ?? ""
      if rest.hasPrefix("\(name).") { rest = rest.dropFirst(name.count + 1) }
    }
    return String(rest)
  }
}

extension HistoryCheck {
  /// Throws ``SchemaError/casesDiffer(version:differences:)`` when members of code have other cases
  /// than the history declares for them at `version`. Where it declares none, any will do.
  public static func checkCases(
    _ declared: [MemberCases], _ history: SchemaHistory, at version: SchemaVersion
  ) throws(SchemaError) {
    let differences = CaseDifference.between(try history.cases(at: version), declared)
    guard differences.isEmpty else {
      throw .casesDiffer(version: version, differences: differences)
    }
  }
}
