/// The values of members that links, or embedded objects, stand in.
package enum RelationValues {
  /// The value with what `body` gives for each link or object in it, told which one it is: elements
  /// of lists and dictionaries for which it gives nothing are left out, a single one is nil.
  package static func map(
    _ value: Value, _ body: (Value, _ label: String) throws -> Value?
  ) rethrows -> Value {
    switch value {
    case .null: return .null
    case .list(let elements):
      var mapped: [Value] = []
      for (index, element) in elements.enumerated() {
        if let element = try body(element, "\(index)") { mapped.append(element) }
      }
      return .list(mapped)
    case .dictionary(let values):
      var mapped: [String: Value] = [:]
      for (key, element) in values.sorted(by: { $0.key < $1.key }) {
        mapped[key] = try body(element, key)
      }
      return .dictionary(mapped)
    default: return try body(value, "") ?? .null
    }
  }

  /// The key of an object that was embedded in another one: the same on every run.
  package static func freshKey(
    in parent: TypeShape, key: [UInt8], member: String, label: String, operationID: String
  ) -> Value {
    let context = UpgradeContext(
      type: parent.identity, typeName: parent.name, key: key, keyText: "", fromVersion: 0,
      operationID: operationID, committedAt: 0)
    return .uuid(context.stableUUID("\(member)/\(label)"))
  }
}
