/// Members that are taken out of embedded objects, as `MoveOut` does it: older apps find them in
/// the members of the record that they became.
extension HistoryDerivation {
  /// The members of the record that are members of the embedded object `object` in this version,
  /// unchanged since; by their names in it.
  func takenOut(of object: String, _ type: Int) -> [String: String] {
    guard let index = types[type].index(named: object) else { return [:] }
    let holder = types[type].members[index].identity
    let operations = types[type].operations
    // What was changed in the object since is not what was taken out of it.
    let start = operations.lastIndex { $0.kind.member == holder }.map { $0 + 1 } ?? 0
    var names: [String: String] = [:]
    for operation in operations[start...] {
      guard
        case .compute(let member, _, let inputs, .expression(let expression), _) = operation.kind,
        case .field(.member(let input), let name) = expression,
        inputs.contains(where: { $0.name == input && $0.member == holder }),
        operations.count(where: { $0.kind.member == member }) == 1,
        let index = types[type].index(of: member)
      else { continue }
      names[name] = types[type].members[index].name
    }
    return names
  }

  /// What gives older apps an embedded object that is removed, once all was taken out of it that
  /// has to have a value; nothing when that is not so.
  func wayBack(toRemoved name: String, _ type: Int) -> ValueExpression? {
    guard let index = types[type].index(named: name),
      case .object(let members) = types[type].members[index].type.unwrapped
    else { return nil }
    let names = takenOut(of: name, type)
    let required = members.filter { !$0.type.isOptional }
    guard !names.isEmpty, required.allSatisfy({ names[$0.name] != nil }) else { return nil }
    let object = ValueExpression.object(
      members.map { member in
        ObjectPart(member.name, names[member.name].map { .member($0) } ?? .constant(.null))
      })
    guard types[type].members[index].type.isOptional else { return object }
    // There was an object where all members are there that every one has.
    let witnesses = required.compactMap { names[$0.name] }
    guard !witnesses.isEmpty else { return nil }
    let wayBack = witnesses.reduce(object) { object, witness in
      .mapped(.isNil(.member(witness)), [CaseMapping(from: true, to: .null)], otherwise: object)
    }
    return wayBack.depth <= SchemaLimits.depth ? wayBack : nil
  }
}
