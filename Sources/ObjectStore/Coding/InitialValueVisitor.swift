internal import SchemaRegistry

/// Collects the initial values of members that are, or hold, embedded objects.
struct InitialValueVisitor: MemberVisitor {
  private(set) var initial = EmbeddedInitialValues()
  /// Whether what is visited holds placeholders, and not what its type says.
  private let isPlaceholder: Bool
  /// What an object that was seen before this one told of its members' types.
  private let known: [String: EmbeddedInitialValues]?

  /// What embedded objects inside of a Codable type say themselves, by their paths.
  private let coded: [String: EmbeddedInitialValues]

  /// After another object of the type, its members' types need not be asked again: they would be
  /// asked twice as often on every level.
  init(
    after other: InitialValueVisitor? = nil, isPlaceholder: Bool = false,
    coded: [String: EmbeddedInitialValues] = [:]
  ) {
    known = other?.initial.inner
    self.isPlaceholder = isPlaceholder
    self.coded = coded
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
      initial = EmbeddedInitialValues(placeholders: values, of: types, knowing: coded)
    } else {
      // What an object begins with that is not there only its own type can tell.
      for (name, value) in values {
        let isThere = if case .object = value { true } else { false }
        let inside = isThere ? nil : coded[name]
        initial.note(name, value, inner: inside ?? EmbeddedInitialValues(value))
      }
    }
  }
}
