internal import SchemaRegistry

/// The members of an embedded object that a member is, or has some of.
struct EmbeddedMembers {
  /// How many objects a value has.
  enum Holder {
    case single
    /// One for each key.
    case dictionary
    /// Any number: see ``ElementIdentity``.
    case list
  }

  let members: [MemberShape]
  let holder: Holder
  /// Which parts of the type are optional.
  private let optionals: [Bool]

  /// Nothing for other types, such as lists in dictionaries.
  init?(_ type: FieldType) {
    let element: FieldType
    switch type.unwrapped {
    case .dictionary(let inner): (holder, element) = (.dictionary, inner)
    case .list(let inner): (holder, element) = (.list, inner)
    default: (holder, element) = (.single, type)
    }
    guard case .object(let members) = element.unwrapped else { return nil }
    self.members = members
    optionals = [type.isOptional, element.isOptional]
  }

  /// Whether a member of this type may tell elements apart.
  static func mayBeKey(_ type: FieldType) -> Bool {
    switch type.unwrapped {
    case .list, .dictionary, .object: false
    default: true
    }
  }

  /// Whether two types differ in the members of their objects only.
  func isLike(_ other: EmbeddedMembers) -> Bool {
    holder == other.holder && optionals == other.optionals
  }
}
