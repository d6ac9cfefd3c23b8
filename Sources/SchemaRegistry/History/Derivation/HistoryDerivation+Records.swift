/// Operations on the members of a type.
extension HistoryDerivation {
  mutating func apply(_ operations: [RecordOperation], toTypeNamed name: String) {
    let firstID = "v\(version)/\(name)"
    guard
      let index = index(ofTypeNamed: name, id: firstID, missing: "No operation can run on it.")
    else { return }
    for operation in operations {
      let id = nextID(name)
      describe(operation, id: id, type: types[index])
      let description = self.operations.count - 1
      if types[index].source == nil {
        report(
          id, nil, "\(name) is introduced in version \(version), so it has no older records.",
          "Declare the type with the members it shall have.")
        continue
      }
      if types[index].hasRewrite {
        report(
          id, operation.memberName.map { "\(name).\($0)" },
          "The operation stands after the Rewrite of \(name), which sees the finished record.",
          "Move the Rewrite to the end.")
        continue
      }
      if case .rename = operation {} else { reportDisplaced(index, id: id) }
      types[index].isTouched = true
      self.operations[description].forward = apply(operation, id: id, to: index)
    }
    reportDisplaced(index, id: firstID)
  }

  /// Runs an operation, and says what it means for older apps.
  mutating func apply(
    _ operation: RecordOperation, id: String, to type: Int
  ) -> ForwardEffect {
    if case .embedded(let name, let each, let operations) = operation {
      return embedded(name, each: each, operations, id, type)
    }
    var wayBack: ValueExpression?
    var effect = forwardEffect(of: operation, id: id, type: types[type])
    if case .remove(let name, nil) = operation {
      wayBack = self.wayBack(toRemoved: name, type)
      if let wayBack {
        effect = forwardEffect(
          of: .remove(member: name, readAs: wayBack), id: id, type: types[type])
      }
    }
    let before = types[type].members
    change(type, by: operation, id)
    if let wayBack, let member = before.first(where: { $0.name == operation.memberName }) {
      append(wayBack, of: member, type)
    }
    return effect
  }

  private mutating func change(_ type: Int, by operation: RecordOperation, _ id: String) {
    switch operation {
    case .add(let name, let fieldType, let value, let meaning):
      add(name, fieldType, value, meaning, id, type)
    case .remove(let name, let readAs): remove(name, readAs: readAs, id, type)
    case .rename(let name, let new, let fieldType, let fill):
      rename(name, to: new, as: fieldType, fill: fill, id: id, in: type)
    case .widen(let name, let fieldType): widen(name, fieldType, id, type)
    case .convert(let name, let fieldType, let computation, let inverse, let meaning):
      convert(name, fieldType, computation, inverse: inverse, id, type)
      declare(meaning, of: name, id, type)
    case .require(let name, let fill): require(name, fill, id, type)
    case .makeOptional(let name, let readAs): makeOptional(name, readAs: readAs, id, type)
    case .derive(let name, let fieldType, let inputs, let computation, let meaning):
      derive(name, fieldType, inputs, computation, id, type)
      declare(meaning, of: name, id, type)
    case .embedded: preconditionFailure("what is inside of a member changes by itself")
    case .mapCases(let name, let cases, let all): mapCases(name, cases, all, id, type)
    case .addCases(let name, let cases, let readAs):
      addCases(name, cases, readAs: readAs, id, type)
    case .dropRecords(let inputs, let computation): dropRecords(inputs, computation, id, type)
    case .rewrite(let closure):
      types[type].hasRewrite = true
      types[type].operations.append(ResolvedOperation(id: id, kind: .rewrite(closure)))
    }
  }

  private mutating func add(
    _ name: String, _ fieldType: FieldType, _ value: Value?, _ meaning: MemberMeaning,
    _ id: String, _ type: Int
  ) {
    guard let identity = introduce(name, fieldType, id, type) else { return }
    let place = path(name, type)
    if let value, !value.isValid(for: fieldType) {
      report(
        id, place, "The default of \(place) is not a \(fieldType).",
        "Write a default of the member's type.")
    } else if value == nil, !fieldType.isOptional, !willBeRewritten(type) {
      report(
        id, place, "\(place) is required and has no default, so older records have no value.",
        "Write Add(\"\(name)\", .\(fieldType), default: …), or make the type optional.")
    }
    declare(meaning, of: name, id, type)
    if let value, let member = types[type].index(of: identity) {
      checkIsCase(value, "default", of: member, id, type)
    }
    append(.set(identity, value?.completed(for: fieldType) ?? .null), id, type)
  }

  private mutating func remove(
    _ name: String, readAs: ValueExpression?, _ id: String, _ type: Int
  ) {
    guard let member = member(name, id, type), !isKey(member, id, type) else { return }
    let removed = types[type].members[member]
    if let readAs { checkIsCase(readAs, "readAs", of: member, id, type) }
    types[type].removedNames.insert(name)
    types[type].members.remove(at: member)
    append(.remove(removed.identity), id, type)
    if let readAs { addInverse(readAs, of: removed, id, type) }
  }

  private mutating func makeOptional(
    _ name: String, readAs: Value?, _ id: String, _ type: Int
  ) {
    guard let member = member(name, id, type), !isKey(member, id, type) else { return }
    let old = types[type].members[member]
    types[type].members[member].type = old.type.madeOptional
    guard let readAs else { return }
    checkIsCase(readAs, "readAs", of: member, id, type)
    addInverse(.member(name).orElse(readAs.completed(for: old.type)), of: old, id, type)
  }

  private mutating func widen(_ name: String, _ wanted: FieldType, _ id: String, _ type: Int) {
    guard let member = member(name, id, type), !isKey(member, id, type) else { return }
    let old = types[type].members[member].type
    guard Widening.isLossless(from: old, to: wanted) else {
      report(
        id, path(name, type), "\(path(name, type)) cannot be widened from \(old) to \(wanted).",
        "Use Convert(\"\(name)\", to: …) and say how values change; Widen is lossless: int32 to "
          + "int64 or double, float to double, T to T?, T to [T].")
      return
    }
    let new = wanted.normalized
    types[type].members[member].type = new
    types[type].members[member].forgetCasesOfAnotherType()
    forgetLinksOfAnotherType(member, type)
    guard !Widening.keepsBytes(from: old, to: new) else { return }
    let change = Widening.change(from: old, to: new)
    append(.widen(types[type].members[member].identity, change), id, type)
  }

  private mutating func convert(
    _ name: String, _ wanted: FieldType, _ computation: Computation, inverse: ValueExpression?,
    _ id: String, _ type: Int
  ) {
    guard let member = member(name, id, type), !isKey(member, id, type) else { return }
    if let problem = wanted.problem {
      report(id, path(name, type), "\(path(name, type)): \(problem).", "Use another type.")
      return
    }
    let old = types[type].members[member]
    check(
      computation, inputs: [name], storedIn: wanted, keepsNil: wanted.isOptional, id: id,
      member: name, type: type)
    var inputs = [ResolvedOperation.Input(name: name, member: old.identity)]
    if case .expression(let expression) = computation {
      inputs = resolve(expression.memberNames, type)
    }
    if let inverse { checkIsCase(inverse, "inverse", of: member, id, type) }
    let new = wanted.normalized
    let meaning = carried(by: computation, type)
    types[type].members[member].type = new
    types[type].members[member].meaning = meaning
    forgetLinksOfAnotherType(member, type)
    append(
      .compute(
        old.identity, type: new, inputs: inputs, computation,
        keepsNil: wanted.isOptional && computation.isClosure),
      id, type)
    if let inverse { addInverse(inverse, of: old, id, type) }
  }

  private mutating func require(_ name: String, _ fill: Value, _ id: String, _ type: Int) {
    guard let member = member(name, id, type), !isKey(member, id, type) else { return }
    let required = types[type].members[member].type.unwrapped
    if !fill.isValid(for: required) {
      report(
        id, path(name, type), "The fill of \(path(name, type)) is not a \(required).",
        "Write a fill of the member's type; nil is not one.")
    } else {
      checkIsCase(fill, "fill", of: member, id, type)
    }
    let wasOptional = types[type].members[member].type.isOptional
    types[type].members[member].type = required
    guard wasOptional else { return }
    append(
      .fill(types[type].members[member].identity, fill.completed(for: required)), id, type)
  }

  private mutating func derive(
    _ name: String, _ fieldType: FieldType?, _ inputs: [String], _ computation: Computation,
    _ id: String, _ type: Int
  ) {
    guard
      let fieldType = fieldType ?? inferred(computation, id: id, member: name, type: type)
    else { return }
    check(
      computation, inputs: inputs, storedIn: fieldType, keepsNil: false, id: id, member: name,
      type: type)
    let resolved = resolve(inputs, type)
    let meaning = carried(by: computation, type)
    guard let identity = introduce(name, fieldType, id, type) else { return }
    let made = types[type].members.count - 1
    types[type].members[made].meaning = meaning
    forgetLinksOfAnotherType(made, type)
    append(
      .compute(
        identity, type: fieldType.normalized, inputs: resolved, computation,
        keepsNil: false),
      id, type)
  }

  private mutating func describe(_ operation: RecordOperation, id: String, type: TypeState) {
    operations.append(
      OperationDescription(
        id: id, version: version, typeName: type.name, type: type.identity,
        parameterHash: OperationHash.hash(operation),
        wayBackHash: OperationHash.hashOfWayBack(operation), revision: operation.revision,
        operationClass: operation.operationClass, changesObjects: operation.changesObjects,
        needsApplicationCode: operation.needsApplicationCode, forward: .none))
  }
}
