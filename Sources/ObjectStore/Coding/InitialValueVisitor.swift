internal import SchemaRegistry

/// Collects the initial values of members that are, or hold, embedded objects.
struct InitialValueVisitor: MemberVisitor {
  private(set) var initial = EmbeddedInitialValues()
  /// Whether what is visited holds placeholders, and not what its type says.
  private let isPlaceholder: Bool
  /// What an object that was seen before this one told of its members' types.
  private let known: [String: EmbeddedInitialValues]?

  /// After another object of the type, its members' types need not be asked again: they would be
  /// asked twice as often on every level.
  init(after other: InitialValueVisitor? = nil, isPlaceholder: Bool = false) {
    known = other?.initial.inner
    self.isPlaceholder = isPlaceholder
  }

  mutating func member<Member: StorableValue>(
    _ name: StaticString, _ value: inout Member
  ) throws(StoreError) {
    let name = name.description
    initial.note(
      name, value.dynamicValue, inner: known.map { $0[name] } ?? Member.embeddedInitialValues)
  }

  mutating func members(
    _ types: [(name: String, type: FieldType)], _ values: inout [String: Value]
  ) throws(StoreError) {
    if isPlaceholder {
      initial = EmbeddedInitialValues(placeholders: values, of: types)
    } else {
      // Such a model does not tell what an object begins with that is not there.
      for (name, value) in values {
        initial.note(name, value, inner: EmbeddedInitialValues(value))
      }
    }
  }
}
