/// Barriers that let objects go to another type, in a history file.
extension DocumentPlace {
  /// The move here.
  func move() throws(SchemaError) -> RecordMove {
    let parts = try object(
      allowing: ["move", "to", "where", "defaults", "dropping", "onExisting"])
    let condition = try required("where", in: parts)
    let (inputs, computation) = try condition.computationWithInputs(
      condition.object(allowing: ["from", "expression", "closure"]))
    var defaults: [String: Value] = [:]
    if let place = parts["defaults"] {
      for (name, value) in try place.object(allowing: place.keys()) {
        defaults[name] = try value.constant()
      }
    }
    var dropping: [String] = []
    if let place = parts["dropping"] {
      for name in try place.array() { dropping.append(try name.text()) }
    }
    var existing = ExistingKeys.fail
    if let place = parts["onExisting"] {
      guard let found = ExistingKeys(rawValue: try place.text()) else {
        throw place.failure(
          "one of " + ExistingKeys.allCases.map(\.rawValue).joined(separator: ", ")
            + " is expected")
      }
      existing = found
    }
    return RecordMove(
      type: try required("move", in: parts).text(), target: try required("to", in: parts).text(),
      inputs: inputs, condition: computation, defaults: defaults, dropping: dropping,
      onExisting: existing)
  }
}

extension DocumentTree {
  /// The form of a move that ``DocumentPlace/move()`` reads.
  static func move(_ move: RecordMove) -> DocumentTree {
    var condition = parts(move.condition)
    if move.condition.isClosure { condition["from"] = .array(move.inputs.map { .text($0) }) }
    return .object([
      "move": .text(move.type), "to": .text(move.target), "where": .object(condition),
      "defaults": .object(move.defaults.mapValues { constant($0) }),
      "dropping": .array(move.dropping.map { .text($0) }),
      "onExisting": .text(move.onExisting.rawValue),
    ])
  }
}
