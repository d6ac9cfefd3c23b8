internal import SchemaRegistry

/// The objects that would get the key of another one: all are counted, the first are named.
struct KeyClashes {
  private static let exampleCountMaximum = 10

  private let type: TypeShape
  private var count = 0
  private var examples: [String] = []

  init(type: TypeShape) { self.type = type }

  mutating func note(_ key: Value?, old: Value) {
    count += 1
    guard examples.count < Self.exampleCountMaximum else { return }
    examples.append("\(KeyCoding.text(of: key ?? .null)) of \(KeyCoding.text(of: old))")
  }

  func throwIfAny() throws(StoreError) {
    guard count > 0 else { return }
    throw .schema(
      .duplicateKeys(
        type: type.name, member: type.keyMember, count: count, examples: examples))
  }
}
