internal import BinaryCoding

/// The cases that a history declares for members of a type, for values that no model checks.
package struct CaseRules: Sendable {
  private let meanings: [(member: String, meaning: KnownMeaning)]

  /// The members that hold what is no case, with the error for each; `value` gives what a member of
  /// that name holds.
  package func violations(
    of type: String, _ value: (String) -> Value?
  ) -> [(member: String, error: SchemaError)] {
    meanings.compactMap { member, meaning in
      guard let found = value(member)?.firstValue(outside: meaning) else { return nil }
      let error = SchemaError.invalidValue(
        type: type, member: ([member] + found.path).joined(separator: "."),
        reason: "the history declares no such case of it; its cases are \(found.cases.caseText)")
      return (member, error)
    }
  }

  fileprivate init(_ meanings: [(member: String, meaning: KnownMeaning)]) {
    self.meanings = meanings
  }
}

extension SchemaHistory {
  /// What there is to check of values of each type, at `version`; none where no cases are declared.
  package func caseRules(
    at version: SchemaVersion
  ) throws(SchemaError) -> [TypeIdentity: CaseRules] {
    let shape = try shape(at: version)
    guard let derived = derived[version] else { return [:] }
    var rules: [TypeIdentity: CaseRules] = [:]
    for type in shape.types {
      let known = type.members.compactMap { member in
        derived.meanings[type.identity]?[member.identity].map { (member.name, $0) }
      }
      let declared = known.filter { !$0.1.caseLists.isEmpty }
      if !declared.isEmpty { rules[type.identity] = CaseRules(declared) }
    }
    return rules
  }
}
