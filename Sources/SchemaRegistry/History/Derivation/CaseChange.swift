/// What becomes of the cases of a member, and what older apps read for the new ones.
struct CaseChange {
  /// The cases afterwards; nothing when none is left.
  let cases: [Value]?
  /// What older apps read for every value afterwards; nothing when that cannot be told.
  let wayBack: [CaseMapping]?

  /// The change by a mapping of some or all cases; the others stay. Nil may be mapped, too.
  init(mapping old: [Value], by mappings: [CaseMapping]) {
    let targets = Dictionary(
      mappings.map { ($0.from, $0.to) }, uniquingKeysWith: { first, _ in first })
    var values: [Value] = []
    var sources: [Value: [Value]] = [:]
    for value in old + [.null] {
      let new = targets[value] ?? value
      if sources[new] == nil { values.append(new) }
      sources[new, default: []].append(value)
    }
    let left = values.filter { !$0.isNull }
    cases = left.isEmpty ? nil : left
    var wayBack: [CaseMapping] = []
    for value in values {
      let before = sources[value] ?? []
      // A case that others became is read as itself; one that several became cannot be told.
      let found = before.contains(value) ? value : before.first
      guard let found, found == value || before.count == 1 else {
        self.wayBack = nil
        return
      }
      if !value.isNull || !found.isNull { wayBack.append(CaseMapping(from: value, to: found)) }
    }
    self.wayBack = wayBack
  }

  /// The change by cases that come, for which older apps read `readAs`.
  init(adding added: [Value], to old: [Value], readAs: Value?) {
    cases = old + added
    wayBack = readAs.map { readAs in
      old.map { CaseMapping(from: $0, to: $0) } + added.map { CaseMapping(from: $0, to: readAs) }
    }
  }

  /// What gives older apps the value of the member called `name`.
  ///
  /// It names every case, so that they write no other. A value that is none, from before cases were
  /// declared, is read as it is.
  func inverse(of name: String) -> ValueExpression? {
    guard let wayBack, !wayBack.isEmpty else { return nil }
    return .mapped(.member(name), wayBack, otherwise: .member(name))
  }
}
