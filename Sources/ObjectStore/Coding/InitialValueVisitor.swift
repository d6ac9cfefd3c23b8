internal import SchemaRegistry

/// Collects the initial values of members that are, or hold, embedded objects.
struct InitialValueVisitor: MemberVisitor {
  private(set) var values: [String: Value] = [:]
  private(set) var inner: [String: EmbeddedInitialValues] = [:]
  /// What an object that was seen before this one told of its members' types.
  private let known: [String: EmbeddedInitialValues]?

  /// After another object of the type, its members' types need not be asked again: they would be
  /// asked twice as often on every level.
  init(after other: InitialValueVisitor? = nil) { known = other?.inner }

  mutating func member<Member: StorableValue>(
    _ name: StaticString, _ value: inout Member
  ) throws(StoreError) {
    values[name.description] = value.dynamicValue
    let name = name.description
    if let known { inner[name] = known[name] } else { inner[name] = Member.embeddedInitialValues }
  }

  mutating func members(
    _ types: [(name: String, type: FieldType)], _ values: inout [String: Value]
  ) throws(StoreError) {
    self.values.merge(values) { _, new in new }
    // Such a model does not tell what an object begins with that is not there.
    for (name, value) in values { inner[name] = EmbeddedInitialValues(value) }
  }
}
