/// Runs single steps of an upgrade on one record and gives every failure the record's identity.
///
/// Both interpreters of a plan use it, so that a step behaves the same in both.
struct StepRunner {
  let subject: StepSubject
  /// The record's key as stored, lent for as long as the steps run.
  let key: UnsafeRawBufferPointer
  let committedAt: UInt64
  /// What notes how long code takes, when somebody wants to know.
  var timing: StepTiming?

  /// The key for people; computed only for errors and contexts.
  var keyText: String {
    guard let value = try? KeyCoding.decode(key, as: subject.keyType) else {
      return Hexadecimal.text(key.prefix(40))
    }
    return KeyCoding.text(of: value)
  }

  func failure(_ operationID: String, _ underlying: String) -> SchemaError {
    .migrationFailed(
      type: subject.typeName, keyText: keyText, fromVersion: subject.fromVersion,
      operationID: operationID, underlying: String(underlying.prefix(400)))
  }

  /// The result of a closure or expression, checked against the type of its member.
  func compute(
    _ computation: Computation, names: [String], values: [Value], type: FieldType, keepsNil: Bool,
    operationID: String
  ) throws(SchemaError) -> Value {
    try values.withUnsafeBufferPointer { (values) throws(SchemaError) in
      try compute(
        StepCode(computation), names: InputNames(names), StepInputs(values), type: type,
        keepsNil: keepsNil, operationID: operationID)
    }
  }

  /// The same for code of a plan.
  func compute(
    _ code: StepCode, names: InputNames, _ inputs: StepInputs, type: FieldType, keepsNil: Bool,
    operationID: String
  ) throws(SchemaError) -> Value {
    if keepsNil, inputs.isFirstNull { return .null }
    let result: Value
    if let expression = code.expression {
      do throws(ExpressionFailure) {
        result = try expression.evaluate { name in names[name].map { inputs[$0] } ?? .null }
      } catch {
        throw failure(operationID, error.reason)
      }
    } else {
      result = try run(code, inputs, operationID)
      if subject.checksPurity, try run(code, inputs, operationID) != result {
        throw failure(operationID, "two runs of the step gave different results; it is not pure")
      }
    }
    guard result.isValid(for: type) else {
      throw failure(
        operationID, "the step gave a \(result.kindName) that cannot be stored as \(type)")
    }
    // Later steps see what they would if the record had been stored in between.
    return result.completed(for: type)
  }

  private func run(
    _ code: StepCode, _ inputs: StepInputs, _ operationID: String
  ) throws(SchemaError) -> Value {
    guard let run = code.run else {
      throw .needsApplicationCode(type: subject.typeName, operationIDs: [operationID])
    }
    let start = timing?.now()
    defer { if let start { timing?.note(operationID, since: start) } }
    do {
      return try run(inputs)
    } catch {
      throw failure(operationID, String(describing: error))
    }
  }

  /// The new members of a record after a whole-record step, or nil when the step dropped it.
  func rewrite(
    _ closure: RewriteClosure, operationID: String, transition: TypeTransition, old: [Value],
    new: [Value]
  ) throws(SchemaError) -> [Value]? {
    let result = try runOnce(
      closure, operationID: operationID, transition: transition, old: old, new: new)
    if subject.checksPurity {
      let second = try runOnce(
        closure, operationID: operationID, transition: transition, old: old, new: new)
      if second != result {
        throw failure(operationID, "two runs of the step gave different results; it is not pure")
      }
    }
    return result
  }

  private func runOnce(
    _ closure: RewriteClosure, operationID: String, transition: TypeTransition, old: [Value],
    new: [Value]
  ) throws(SchemaError) -> [Value]? {
    guard let code = closure.run else {
      throw .needsApplicationCode(type: subject.typeName, operationIDs: [operationID])
    }
    let faults = StepFaults()
    let target = transition.target
    let view = RecordView(Self.named(transition.source, old), faults: faults)
    var draft = RecordDraft(
      Self.named(target, new), keyMember: target.keyMember, faults: faults)
    let context = UpgradeContext(
      type: subject.type, typeName: target.name, key: Array(key), keyText: keyText,
      fromVersion: subject.fromVersion, operationID: operationID, committedAt: committedAt)
    let outcome: StepOutcome
    let start = timing?.now()
    defer { if let start { timing?.note(operationID, since: start) } }
    do {
      outcome = try code(view, &draft, context)
    } catch {
      throw failure(operationID, faults.first ?? String(describing: error))
    }
    if let fault = faults.first { throw failure(operationID, "\(target.name): \(fault)") }
    if outcome == .drop { return nil }
    var values: [Value] = []
    for (index, member) in target.members.enumerated() {
      let value = index == target.keyIndex ? new[index] : draft.values[member.name] ?? .null
      guard value.isValid(for: member.type) else {
        throw failure(
          operationID,
          "\(target.name).\(member.name) is a \(value.kindName) that cannot be stored as "
            + "\(member.type)")
      }
      values.append(value.completed(for: member.type))
    }
    return values
  }

  private static func named(_ shape: TypeShape, _ values: [Value]) -> [String: Value] {
    var result = [String: Value](minimumCapacity: values.count)
    for (member, value) in zip(shape.members, values) { result[member.name] = value }
    return result
  }
}
