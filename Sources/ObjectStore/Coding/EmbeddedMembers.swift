internal import SchemaRegistry

/// The members of an embedded object that a member is, or has one of for each key.
///
/// Lists are left out: what one app knows of an element, and another does not, could not be told
/// to belong to it after the elements were moved.
struct EmbeddedMembers {
  let members: [MemberShape]
  /// Whether there is one object for each key.
  let isDictionary: Bool
  /// Which parts of the type are optional.
  private let optionals: [Bool]

  /// Nothing for other types.
  init?(_ type: FieldType) {
    switch type.unwrapped {
    case .object(let members):
      self.members = members
      isDictionary = false
      optionals = [type.isOptional]
    case .dictionary(let element):
      guard case .object(let members) = element.unwrapped else { return nil }
      self.members = members
      isDictionary = true
      optionals = [type.isOptional, element.isOptional]
    default: return nil
    }
  }

  /// Whether two types differ in the members of their objects only.
  func isLike(_ other: EmbeddedMembers) -> Bool {
    isDictionary == other.isDictionary && optionals == other.optionals
  }
}
