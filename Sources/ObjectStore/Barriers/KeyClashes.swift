internal import SchemaRegistry

/// The objects that would get the key of another one.
struct KeyClashes {
  private let type: TypeShape
  private var clashes = CountedExamples()

  init(type: TypeShape) { self.type = type }

  mutating func note(_ key: Value?, old: Value) {
    clashes.note("\(KeyCoding.text(of: key ?? .null)) of \(KeyCoding.text(of: old))")
  }

  func throwIfAny() throws(StoreError) {
    guard clashes.count > 0 else { return }
    throw .schema(
      .duplicateKeys(
        type: type.name, member: type.keyMember, count: clashes.count,
        examples: clashes.examples))
  }
}
