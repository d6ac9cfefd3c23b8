internal import BinaryCoding

/// What histories say of members beside their shape: where it is declared, and what is carried
/// along when members are put into embedded objects or taken out of them.
extension HistoryDerivation {
  /// Notes what the values of a member mean that was just introduced.
  mutating func declare(
    _ meaning: MemberMeaning, of name: String, _ id: String, _ type: Int
  ) {
    guard !meaning.isEmpty, let member = types[type].index(named: name) else { return }
    let state = types[type].members[member]
    types[type].members[member].meaning = known(
      meaning, besides: state.meaning, of: state.type, path(name, type), id)
  }

  private mutating func known(
    _ meaning: MemberMeaning, besides old: KnownMeaning, of type: FieldType, _ place: String,
    _ id: String
  ) -> KnownMeaning {
    var known = old
    if let target = meaning.linksTo { known.link = .pending(operationID: id, target: target) }
    // What was carried along gives way to what is said.
    if let cases = meaning.cases, areNew(cases, besides: [], of: type, place, id) {
      known.cases = cases
    }
    if meaning.inside.isEmpty { return known }
    guard case .object(let members) = type.innermost else {
      report(
        id, place, "\(place) is \(type), and there is nothing inside of it.",
        "Write linksTo or cases of the member itself.")
      return known
    }
    for (name, inner) in meaning.inside.sorted(by: { $0.key < $1.key }) {
      guard let member = members.first(where: { $0.name == name }) else {
        report(
          id, place, "\(place) has no member \(name) inside.",
          "The members there are \(members.map(\.name).joined(separator: ", ")).")
        continue
      }
      known.inside[name] = self.known(
        inner, besides: old.inside[name] ?? KnownMeaning(), of: member.type, "\(place).\(name)", id)
    }
    return known
  }

  /// What a member means that is taken out of an embedded object, or in which other members of one
  /// stay as they were.
  ///
  /// A member of the record that is put into one leaves its meaning behind: histories of before
  /// would be others.
  func carried(by computation: Computation, _ type: Int) -> KnownMeaning {
    guard case .expression(let expression) = computation else { return KnownMeaning() }
    switch expression {
    case .field, .object, .setting: return meaning(of: expression, type)
    default: return KnownMeaning()
    }
  }

  private func meaning(of expression: ValueExpression, _ type: Int) -> KnownMeaning {
    var found = KnownMeaning()
    switch expression {
    case .member(let name):
      if let member = types[type].index(named: name) {
        found.inside = types[type].members[member].meaning.inside
      }
    case .field(let inner, let name):
      found = meaning(of: inner, type).inside[name] ?? found
    case .object(let parts):
      for part in parts { found.set(meaning(of: part.value, type), of: part.name) }
    case .setting(let inner, let name, let value):
      found = meaning(of: inner, type)
      found.set(meaning(of: value, type), of: name)
    default: break
    }
    return found
  }

  /// What is said of members of every type, as they are now.
  var meanings: SortedTable<TypeIdentity, [MemberIdentity: KnownMeaning]> {
    var meanings = SortedTable<TypeIdentity, [MemberIdentity: KnownMeaning]>()
    for type in types {
      for member in type.members where !member.meaning.isEmpty {
        meanings.update(type.identity, from: [:]) { $0[member.identity] = member.meaning }
      }
    }
    return meanings
  }
}

extension KnownMeaning {
  fileprivate mutating func set(_ meaning: KnownMeaning, of name: String) {
    inside[name] = meaning.isEmpty ? nil : meaning
  }
}
