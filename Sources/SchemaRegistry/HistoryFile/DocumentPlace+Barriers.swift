/// Barriers in a history file.
extension DocumentPlace {
  /// The keys of which a barrier has one.
  static let barrierKeys: Set<String> = [
    "rekey", "retarget", "embed", "extract", "move", "barrier",
  ]

  /// The barrier here: another key, or the description of code.
  func barrier() throws(SchemaError) -> BarrierStep {
    if try keys().contains("rekey") {
      let parts = try object(allowing: ["rekey", "to", "onDuplicate"])
      var duplicates = DuplicateKeys.fail
      if let place = parts["onDuplicate"] {
        guard let found = DuplicateKeys(rawValue: try place.text()) else {
          throw place.failure(
            "one of " + DuplicateKeys.allCases.map(\.rawValue).joined(separator: ", ")
              + " is expected")
        }
        duplicates = found
      }
      return .rekey(
        type: try required("rekey", in: parts).text(),
        member: try required("to", in: parts).text(), onDuplicate: duplicates)
    }
    if let relation = try relation() { return relation }
    if try keys().contains("move") { return .move(try move()) }
    let parts = try object(allowing: ["barrier", "touching", "closure"])
    var types: [String] = []
    for place in try required("touching", in: parts).array() { types.append(try place.text()) }
    return .code(
      name: try required("barrier", in: parts).text(), types: types,
      revision: try required("closure", in: parts).closureRevision(), run: nil)
  }
}

extension DocumentTree {
  /// The form of a barrier that ``DocumentPlace/barrier()`` reads.
  static func barrier(_ step: BarrierStep) -> DocumentTree {
    switch step {
    case .rekey(let type, let member, let duplicates):
      .object([
        "rekey": .text(type), "to": .text(member), "onDuplicate": .text(duplicates.rawValue),
      ])
    case .retarget, .embed, .extract: relation(step)
    case .move(let move): .move(move)
    case .code(let name, let types, let revision, _):
      .object([
        "barrier": .text(name), "touching": .array(types.map { .text($0) }),
        "closure": .object(["revision": .integer(Int64(revision))]),
      ])
    }
  }
}
