/// What a version does to an embedded object, wherever values of a member hold one.
struct EmbeddedTransform: Sendable {
  /// The members before, by name.
  let source: [(name: String, identity: MemberIdentity)]
  /// In the order they run.
  let operations: [ResolvedOperation]
  /// The members after, by name.
  let target: [(name: String, identity: MemberIdentity)]

  /// The value with every embedded object changed; what holds none stays as it is.
  func apply(to value: Value, with runner: StepRunner) throws(SchemaError) -> Value {
    switch value {
    case .object(let values): return .object(try apply(to: values, runner))
    case .list(let elements):
      return .list(
        try elements.map { (element) throws(SchemaError) in
          try apply(to: element, with: runner)
        })
    case .dictionary(let values):
      var result: [String: Value] = [:]
      for (key, value) in values { result[key] = try apply(to: value, with: runner) }
      return .dictionary(result)
    default: return value
    }
  }

  private func apply(
    to values: [String: Value], _ runner: StepRunner
  ) throws(SchemaError) -> [String: Value] {
    var record: [MemberIdentity: Value] = [:]
    for member in source { record[member.identity] = values[member.name] ?? .null }
    for operation in operations { try runner.run(operation, on: &record) }
    var result: [String: Value] = [:]
    for member in target { result[member.name] = record[member.identity] ?? .null }
    return result
  }
}
