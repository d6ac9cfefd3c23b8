/// Record operations in a history file.
extension DocumentPlace {
  /// The operation here: an object with one of the words and what belongs to it.
  func operation() throws(SchemaError) -> RecordOperation {
    let keys = try keys()
    let words: [String] = [
      "add", "remove", "rename", "widen", "convert", "require", "makeOptional", "derive", "on",
      "each", "mapCases", "addCases", "dropRecords", "rewrite",
    ]
    guard let word = words.first(where: { keys.contains($0) }) else {
      throw failure("an operation has one of the keys " + words.joined(separator: ", "))
    }
    switch word {
    case "add": return try add()
    case "remove":
      let parts = try object(allowing: ["remove", "readAs"])
      return .remove(
        member: try required("remove", in: parts).text(),
        readAs: try optionalExpression(parts["readAs"]))
    case "makeOptional":
      let parts = try object(allowing: ["makeOptional", "readAs"])
      return .makeOptional(
        member: try required("makeOptional", in: parts).text(),
        readAs: try optionalConstant(parts["readAs"]))
    case "rename": return try rename()
    case "require":
      let parts = try object(allowing: ["require", "fill"])
      return .require(
        member: try required("require", in: parts).text(),
        fill: try required("fill", in: parts).constant())
    case "widen":
      let parts = try object(allowing: ["widen", "to"])
      return .widen(
        member: try required("widen", in: parts).text(),
        to: try required("to", in: parts).fieldType())
    case "convert": return try convert()
    case "derive": return try derive()
    case "on", "each": return try embedded(word)
    case "mapCases": return try mapCases()
    case "addCases": return try addCases()
    case "dropRecords":
      let inner = try single("dropRecords")
      let parts = try inner.object(allowing: ["from", "expression", "closure"])
      let (inputs, computation) = try inner.computationWithInputs(parts)
      return .dropRecords(inputs: inputs, computation: computation)
    default:
      let inner = try single("rewrite")
      let parts = try inner.object(allowing: ["closure"])
      let closure = try inner.required("closure", in: parts)
      return .rewrite(
        RewriteClosure(
          revision: try closure.closureRevision(), materialises: try closure.materialises(),
          run: nil))
    }
  }

  private func optionalExpression(
    _ place: DocumentPlace?
  ) throws(SchemaError) -> ValueExpression? {
    guard let place else { return nil }
    return try place.expression()
  }

  private func optionalConstant(_ place: DocumentPlace?) throws(SchemaError) -> Value? {
    guard let place else { return nil }
    return try place.constant()
  }

  private func single(_ key: String) throws(SchemaError) -> DocumentPlace {
    try required(key, in: object(allowing: [key]))
  }

  private func add() throws(SchemaError) -> RecordOperation {
    let parts = try object(allowing: Self.meaningKeys.union(["add", "type", "default"]))
    let type = try required("type", in: parts).fieldType()
    let value: Value?
    if let place = parts["default"] { value = try place.value(of: type) } else { value = nil }
    return .add(
      member: try required("add", in: parts).text(), type: type, default: value,
      meaning: try meaning(parts, of: type))
  }

  private func rename() throws(SchemaError) -> RecordOperation {
    let parts = try object(allowing: ["rename", "to", "type", "fill"])
    let name = try required("rename", in: parts).text()
    let type: FieldType?
    if let place = parts["type"] { type = try place.fieldType() } else { type = nil }
    return .rename(
      member: name, to: try required("to", in: parts).text(), type: type,
      fill: try optionalConstant(parts["fill"]))
  }

  private func convert() throws(SchemaError) -> RecordOperation {
    let parts = try object(
      allowing: Self.meaningKeys.union(["convert", "to", "expression", "closure", "inverse"]))
    let type = try required("to", in: parts).fieldType()
    return .convert(
      member: try required("convert", in: parts).text(), to: type,
      computation: try computation(parts), inverse: try optionalExpression(parts["inverse"]),
      meaning: try meaning(parts, of: type))
  }

  private func addCases() throws(SchemaError) -> RecordOperation {
    let parts = try object(allowing: ["addCases", "cases", "readAs"])
    return .addCases(
      member: try required("addCases", in: parts).text(),
      try required("cases", in: parts).constants(), readAs: try optionalConstant(parts["readAs"]))
  }

  private func derive() throws(SchemaError) -> RecordOperation {
    let parts = try object(
      allowing: Self.meaningKeys.union(["derive", "type", "from", "expression", "closure"]))
    let type: FieldType?
    if let place = parts["type"] {
      type = try place.fieldType()
    } else if parts["expression"] == nil {
      throw failure("the key \"type\" is missing")
    } else {
      type = nil
    }
    let (inputs, computation) = try computationWithInputs(parts)
    return .derive(
      member: try required("derive", in: parts).text(), type: type, inputs: inputs,
      computation: computation, meaning: try meaning(parts, of: nil))
  }

  private func embedded(_ word: String) throws(SchemaError) -> RecordOperation {
    let parts = try object(allowing: [word, "operations"])
    var operations: [RecordOperation] = []
    for place in try required("operations", in: parts).array() {
      operations.append(try place.operation())
    }
    return .embedded(
      member: try required(word, in: parts).text(), each: word == "each", operations: operations)
  }

  private func mapCases() throws(SchemaError) -> RecordOperation {
    let parts = try object(allowing: ["mapCases", "cases", "of"])
    var all: [Value]?
    if let place = parts["of"] { all = try place.constants() }
    return .mapCases(
      member: try required("mapCases", in: parts).text(),
      try required("cases", in: parts).caseMappings(), all: all)
  }

  func constants() throws(SchemaError) -> [Value] {
    try array().map { (place) throws(SchemaError) in try place.constant() }
  }

  func computationWithInputs(
    _ parts: [String: DocumentPlace]
  ) throws(SchemaError) -> (inputs: [String], Computation) {
    let computation = try computation(parts)
    var inputs: [String] = []
    switch computation {
    case .expression(let expression):
      guard parts["from"] == nil else {
        throw failure("\"from\" belongs to closures; an expression names its members itself")
      }
      inputs = expression.memberNames
    case .closure:
      for place in try required("from", in: parts).array() { inputs.append(try place.text()) }
    }
    return (inputs, computation)
  }

  private func computation(
    _ parts: [String: DocumentPlace]
  ) throws(SchemaError) -> Computation {
    switch (parts["expression"], parts["closure"]) {
    case (.some(let place), nil):
      return .expression(try place.expression())
    case (nil, .some(let place)):
      return .closure(
        StepClosure(
          revision: try place.closureRevision(), inputTypes: [], outputType: nil,
          materialises: try place.materialises(), run: nil))
    default:
      throw failure("exactly one of \"expression\" and \"closure\" is needed")
    }
  }

  func closureRevision() throws(SchemaError) -> UInt32 {
    try required("revision", in: object(allowing: ["revision", "materialise"])).revision()
  }

  private func materialises() throws(SchemaError) -> Bool {
    guard let place = try object(allowing: ["revision", "materialise"])["materialise"] else {
      return false
    }
    guard case .bool(let materialises) = place.tree else {
      throw place.failure("true or false is expected")
    }
    return materialises
  }
}

extension DocumentTree {
  /// The form of `operation` that ``DocumentPlace/operation()`` reads.
  init(_ operation: RecordOperation) {
    var parts: [String: DocumentTree] = [:]
    switch operation {
    case .add(let member, let type, let value, let meaning):
      parts = ["add": .text(member), "type": .text(type.description)]
      if let value { parts["default"] = DocumentTree(value) }
      parts.merge(Self.parts(meaning) { DocumentTree($0) }) { old, _ in old }
    case .remove(let member, let readAs):
      parts = ["remove": .text(member)]
      if let readAs { parts["readAs"] = DocumentTree(readAs) }
    case .rename(let member, let name, let type, let fill):
      parts = ["rename": .text(member), "to": .text(name)]
      if let type { parts["type"] = .text(type.description) }
      if let fill { parts["fill"] = .constant(fill) }
    case .widen(let member, let type):
      parts = ["widen": .text(member), "to": .text(type.description)]
    case .convert(let member, let type, let computation, let inverse, let meaning):
      parts = ["convert": .text(member), "to": .text(type.description)]
      parts.merge(Self.parts(computation)) { old, _ in old }
      if let inverse { parts["inverse"] = DocumentTree(inverse) }
      parts.merge(Self.parts(meaning) { DocumentTree($0) }) { old, _ in old }
    case .require(let member, let fill):
      parts = ["require": .text(member), "fill": .constant(fill)]
    case .makeOptional(let member, let readAs):
      parts = ["makeOptional": .text(member)]
      if let readAs { parts["readAs"] = .constant(readAs) }
    case .derive(let member, let type, let inputs, let computation, let meaning):
      parts = ["derive": .text(member)]
      if let type { parts["type"] = .text(type.description) }
      parts.merge(Self.parts(meaning) { .constant($0) }) { old, _ in old }
      if computation.isClosure { parts["from"] = .array(inputs.map { .text($0) }) }
      parts.merge(Self.parts(computation)) { old, _ in old }
    case .embedded(let member, let each, let operations):
      parts = [
        each ? "each" : "on": .text(member),
        "operations": .array(operations.map { DocumentTree($0) }),
      ]
    case .mapCases(let member, let cases, let all):
      parts = ["mapCases": .text(member), "cases": .cases(cases)]
      if let all { parts["of"] = .array(all.map { .constant($0) }) }
    case .addCases(let member, let cases, let readAs):
      parts = ["addCases": .text(member), "cases": .array(cases.map { .constant($0) })]
      if let readAs { parts["readAs"] = .constant(readAs) }
    case .dropRecords(let inputs, let computation):
      var inner = Self.parts(computation)
      if computation.isClosure { inner["from"] = .array(inputs.map { .text($0) }) }
      parts = ["dropRecords": .object(inner)]
    case .rewrite(let closure):
      parts = [
        "rewrite": .object(["closure": Self.closure(closure.revision, closure.materialises)])
      ]
    }
    self = .object(parts)
  }

  static func parts(_ computation: Computation) -> [String: DocumentTree] {
    switch computation {
    case .expression(let expression): ["expression": DocumentTree(expression)]
    case .closure(let closure): ["closure": Self.closure(closure.revision, closure.materialises)]
    }
  }

  private static func closure(_ revision: UInt32, _ materialises: Bool) -> DocumentTree {
    var parts: [String: DocumentTree] = ["revision": .integer(Int64(revision))]
    if materialises { parts["materialise"] = .bool(true) }
    return .object(parts)
  }
}
