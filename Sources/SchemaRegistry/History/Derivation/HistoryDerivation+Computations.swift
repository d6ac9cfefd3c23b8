/// Type checks of closures and expressions.
extension HistoryDerivation {
  /// Reports inputs that do not exist and types that do not fit.
  mutating func check(
    _ computation: Computation, inputs: [String], storedIn wanted: FieldType, keepsNil: Bool,
    id: String, member: String, type: Int
  ) {
    switch computation {
    case .expression(let expression):
      check(expression, storedIn: wanted, id: id, member: member, type: type)
    case .closure(let closure):
      check(
        closure, inputs: inputs, storedIn: wanted, keepsNil: keepsNil, id: id, member: member,
        type: type)
    }
  }

  private mutating func check(
    _ expression: ValueExpression, storedIn wanted: FieldType, id: String, member: String,
    type: Int
  ) {
    let place = path(member, type)
    guard expression.depth <= SchemaLimits.depth else {
      report(
        id, place, "The expression nests deeper than \(SchemaLimits.depth) levels.",
        "Split it into several Derive operations.")
      return
    }
    guard expression.isBounded else {
      report(
        id, place, "The expression runs through lists that are written in it within each other.",
        "Write shorter lists, or fewer reshaped within each other.")
      return
    }
    for name in expression.memberNames where types[type].index(named: name) == nil {
      reportUnknown(name, id, type)
      return
    }
    let members = types[type].members
    do throws(ValueExpression.Problem) {
      let inferred = try expression.inferType { name in
        members.first { $0.name == name }?.type
      }
      if let problem = inferred.problem(storingIn: wanted) {
        report(
          id, place, "The expression \(problem).",
          "Add orElse with a value, or change the type of \(place).")
      }
    } catch {
      report(
        id, place, "The expression \(error.reason).", "Correct the expression.")
    }
  }

  private mutating func check(
    _ closure: StepClosure, inputs: [String], storedIn wanted: FieldType, keepsNil: Bool,
    id: String, member: String, type: Int
  ) {
    let place = path(member, type)
    if closure.run != nil, closure.inputTypes.count != inputs.count {
      report(
        id, place,
        "The closure of \(place) has \(closure.inputTypes.count) parameters for "
          + "\(inputs.count) members.",
        "Name one member per parameter in from:.")
      return
    }
    for (position, name) in inputs.enumerated() {
      guard let index = types[type].index(named: name) else {
        reportUnknown(name, id, type)
        continue
      }
      guard position < closure.inputTypes.count, let accepted = closure.inputTypes[position] else {
        continue
      }
      var given = types[type].members[index].type
      if keepsNil { given = given.unwrapped }
      if !Self.accepts(accepted, given) {
        report(
          id, path(name, type),
          "The closure takes \(accepted) for \(path(name, type)), which is \(given).",
          "Change the parameter's type to the member's.")
      }
    }
    if let output = closure.outputType,
      let problem = ExpressionType(base: output.unwrapped, isOptional: output.isOptional)
        .problem(storingIn: wanted)
    {
      report(
        id, place, "The closure's result \(problem).",
        "Change the closure's result or the type of \(place).")
    }
  }

  /// Whether a parameter of type `accepted` takes every value of a member of type `given`.
  private static func accepts(_ accepted: FieldType, _ given: FieldType) -> Bool {
    switch (accepted, given) {
    case (.optional(let accepted), .optional(let given)): accepts(accepted, given)
    case (.optional(let accepted), _): accepts(accepted, given)
    case (.list(let accepted), .list(let given)),
      (.dictionary(let accepted), .dictionary(let given)):
      accepts(accepted, given)
    case (.int64, .int32): true
    default: Widening.isSame(accepted, given)
    }
  }
}

extension Computation {
  var isClosure: Bool {
    if case .closure = self { true } else { false }
  }
}
