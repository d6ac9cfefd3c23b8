/// The values that members of enumerations have: known beside the shapes, so that a case that is
/// missing or unknown is found before any record is read.
extension HistoryDerivation {
  mutating func addCases(
    _ name: String, _ added: [Value], readAs: Value?, _ id: String, _ type: Int
  ) {
    guard let member = member(name, id, type) else { return }
    let state = types[type].members[member]
    guard let old = state.cases else {
      report(
        id, path(name, type), "The cases of \(path(name, type)) are not declared.",
        "Write \(types[type].isEmbedded ? "inside: […: .cases(…)]" : "cases:") where the member is "
          + "added, with those it has there; that is no edit of a shipped version.")
      return
    }
    guard areNew(added, besides: old, of: state.type, path(name, type), id) else { return }
    let change = CaseChange(adding: added, to: old, readAs: readAs)
    if let readAs {
      guard !isKey(member, id, type) else { return }
      guard state.isSingle else {
        report(
          id, path(name, type),
          "\(path(name, type)) is \(state.type), and older apps cannot be given other elements.",
          "Leave readAs out.")
        return
      }
      checkIsCase(readAs, "readAs", of: member, id, type)
    }
    types[type].members[member].meaning.cases = change.cases
    if let inverse = change.inverse(of: name) { addInverse(inverse, of: state, id, type) }
  }

  mutating func mapCases(
    _ name: String, _ cases: [CaseMapping], _ all: [Value]?, _ id: String, _ type: Int
  ) {
    guard let member = member(name, id, type), !isKey(member, id, type) else { return }
    let state = types[type].members[member]
    let isOfElements = state.takesElements(cases)
    let isValid = checkMapping(cases, all, of: state, isOfElements: isOfElements, id, type)
    var inverse: ValueExpression?
    if let declared = state.cases {
      guard isValid,
        checkMapping(
          cases, all, of: state, isOfElements: isOfElements, declaredAs: declared, id, type)
      else { return }
      if cases.count == 1, all == nil { noteRename(cases[0], of: state, declared, id, type) }
      let change = CaseChange(mapping: declared, by: cases)
      types[type].members[member].meaning.cases = change.cases
      // Older apps cannot be given other elements.
      inverse = isOfElements ? nil : change.inverse(of: name)
    }
    let mapping = ValueExpression.mapped(
      .member(name), cases, otherwise: all == nil ? .member(name) : nil)
    append(
      .compute(
        state.identity, type: state.type,
        inputs: [ResolvedOperation.Input(name: name, member: state.identity)],
        isOfElements ? .closure(mapping.closureOfElements) : .expression(mapping), keepsNil: false),
      id, type)
    if let inverse { addInverse(inverse, of: state, id, type) }
  }

  /// Reports the rename of a case that another one was renamed to before in the version: the two
  /// are one by then.
  private mutating func noteRename(
    _ rename: CaseMapping, of state: TypeState.Member, _ declared: [Value], _ id: String,
    _ type: Int
  ) {
    let place = path(state.name, type)
    if let joined = types[type].joinedCases[state.identity]?[rename.from] {
      report(
        id, place,
        "\(rename.from.caseText) of \(place) is renamed after \(joined.caseText) became the same "
          + "case, so that the two cannot be told apart.",
        "Write both as one MapCases(\"\(state.name)\", …), or RemoveCase where they are to become "
          + "one.")
    }
    guard rename.from != rename.to,
      declared.contains(rename.to) || rename.to.isNull && state.type.isOptional
    else { return }
    types[type].joinedCases[state.identity, default: [:]][rename.to] = rename.from
  }

  /// Reports a value of a member whose cases are declared that is none of them.
  mutating func checkIsCase(
    _ value: Value, _ word: String, of member: Int, _ id: String, _ type: Int
  ) {
    let state = types[type].members[member]
    guard let found = value.firstValue(outside: state.meaning) else { return }
    let place = ([path(state.name, type)] + found.path).joined(separator: ".")
    report(
      id, place, "The \(word) of \(place) is \(found.value.caseText), which is no case of it.",
      "The cases here are \(found.cases.caseText).")
  }

  /// The same for the values that are written in an expression which gives such a member.
  mutating func checkIsCase(
    _ expression: ValueExpression, _ word: String, of member: Int, _ id: String, _ type: Int
  ) {
    for value in expression.constants { checkIsCase(value, word, of: member, id, type) }
  }

  /// Whether `cases` can be added to the `old` ones of a member of `type`; reports why not.
  mutating func areNew(
    _ cases: [Value], besides old: [Value], of type: FieldType, _ place: String, _ id: String
  ) -> Bool {
    let holds = type.innermost
    var known = Set(old)
    if cases.isEmpty {
      report(id, place, "No case of \(place) is named.", "Name at least one.")
      return false
    }
    for value in cases {
      guard value.isValid(for: holds) else {
        report(
          id, place, "\(place) is \(type), but a case of it is \(value.kindName).",
          "Write the raw values of the cases.")
        return false
      }
      guard known.insert(value).inserted else {
        report(
          id, place, "\(place) has the case \(value.caseText) already.",
          "Name every case once.")
        return false
      }
    }
    return true
  }

  /// Whether a mapping is one of values of the member, each once; reports why not.
  private mutating func checkMapping(
    _ cases: [CaseMapping], _ all: [Value]?, of state: TypeState.Member, isOfElements: Bool,
    _ id: String, _ type: Int
  ) -> Bool {
    let issueCount = issues.count
    let place = path(state.name, type)
    let held = isOfElements ? state.type.innermost : state.type
    for mapping in cases {
      for (value, side) in [(mapping.from, "from"), (mapping.to, "to")]
      where !value.isValid(for: held) {
        report(
          id, place, "\(place) is \(state.type), but a case is mapped \(side) \(value.kindName).",
          "Map values of the member's type to values of it.")
      }
    }
    let mapped = Set(cases.map(\.from))
    if mapped.count != cases.count {
      report(id, place, "A case of \(place) is mapped twice.", "Keep one line for each case.")
    }
    let missing = (all ?? []).filter { !mapped.contains($0) }
    if !missing.isEmpty {
      report(
        id, place,
        "The mapping of \(place) is not total: \(missing.count) of \(all?.count ?? 0) cases have "
          + "no new value.",
        "Map every case; one that stays is mapped to itself.")
    }
    return issues.count == issueCount
  }

  /// Whether a mapping fits the cases that the member has; reports why not.
  private mutating func checkMapping(
    _ cases: [CaseMapping], _ all: [Value]?, of state: TypeState.Member, isOfElements: Bool,
    declaredAs declared: [Value], _ id: String, _ type: Int
  ) -> Bool {
    let place = path(state.name, type)
    guard state.isSingle || isOfElements else {
      report(
        id, place, "\(place) is \(state.type), and a mapping of cases gives whole values.",
        "Use Convert(\"\(state.name)\", to: …) and say how its elements change.")
      return false
    }
    var known = Set(declared + [.null])
    let unknown = (cases.map(\.from) + (all ?? [])).filter { known.insert($0).inserted }
    if !unknown.isEmpty {
      report(
        id, place, "\(place) has no case \(unknown.caseText).",
        "The cases here are \(declared.caseText).")
    }
    let named = Set(cases.map(\.from) + (all ?? declared))
    let forgotten = declared.filter { !named.contains($0) }
    if !forgotten.isEmpty {
      report(
        id, place, "The mapping of \(place) is not total: \(forgotten.caseText) has no new value.",
        "Map every case; one that stays is mapped to itself.")
    }
    return unknown.isEmpty && forgotten.isEmpty
  }
}

extension TypeState.Member {
  /// Whether it holds one case, not several in a list or dictionary.
  var isSingle: Bool { type.unwrapped == type.innermost }

  /// Whether a mapping is one of its elements, which are mapped one by one: it holds several, and
  /// no value of the mapping is one of the member as a whole.
  fileprivate func takesElements(_ cases: [CaseMapping]) -> Bool {
    !isSingle && !cases.isEmpty
      && !cases.contains { $0.from.isValid(for: type) || $0.to.isValid(for: type) }
  }

  /// Ends the cases when values of them are no values of the member any more.
  mutating func forgetCasesOfAnotherType() {
    let holds = type.innermost
    if cases?.allSatisfy({ $0.isValid(for: holds) }) == false { meaning.cases = nil }
  }
}

extension ValueExpression {
  /// Code that gives a list or dictionary with this in the place of each element, at any depth. It
  /// is no code of the app's: this says all that it does.
  fileprivate var closureOfElements: StepClosure {
    StepClosure(revision: 1, inputTypes: [nil], outputType: nil) { values in
      try applied(toElementsOf: values[0])
    }
  }

  private func applied(toElementsOf value: Value) throws(ExpressionFailure) -> Value {
    switch value {
    case .list(let elements):
      return .list(
        try elements.map { (element) throws(ExpressionFailure) in
          try applied(toElementsOf: element)
        })
    case .dictionary(let elements):
      var result: [String: Value] = [:]
      for (key, element) in elements { result[key] = try applied(toElementsOf: element) }
      return .dictionary(result)
    default: return try evaluate { _ in value }
    }
  }

  /// The values that are written here and that the expression may give.
  fileprivate var constants: [Value] {
    switch self {
    case .constant(let value): [value]
    case .orElse(let first, let second): first.constants + second.constants
    case .mapped(_, let cases, let otherwise): cases.map(\.to) + (otherwise?.constants ?? [])
    default: []
    }
  }
}

extension Value {
  /// The first value here, or in the list, dictionary or object here, that is none of the cases of
  /// `meaning`; nil is one always.
  func firstValue(
    outside meaning: KnownMeaning
  ) -> (path: [String], value: Value, cases: [Value])? {
    if meaning.isEmpty { return nil }
    switch self {
    case .null: return nil
    case .list(let elements):
      return elements.lazy.compactMap { $0.firstValue(outside: meaning) }.first
    case .dictionary(let values):
      return values.sorted { $0.key < $1.key }.lazy
        .compactMap { $0.value.firstValue(outside: meaning) }.first
    case .object(let values):
      for (name, inner) in meaning.inside.sorted(by: { $0.key < $1.key }) {
        guard let found = values[name]?.firstValue(outside: inner) else { continue }
        return (path: [name] + found.path, value: found.value, cases: found.cases)
      }
      return nil
    default:
      guard let cases = meaning.cases, !cases.contains(self) else { return nil }
      return (path: [], value: self, cases: cases)
    }
  }
}
