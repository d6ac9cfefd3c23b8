internal import SchemaRegistry

/// The members of the embedded objects that a member is, or holds in containers of any depth.
struct EmbeddedMembers {
  enum Container {
    /// One for each key.
    case dictionary
    /// Any number: see ``ElementIdentity``.
    case list
  }

  let members: [MemberShape]
  /// What holds the objects, from the outside in; empty for a member that is one.
  let containers: [Container]
  /// Which parts of the type are optional: each container, and the objects.
  private let optionals: [Bool]

  /// Nothing for types without objects.
  init?(_ type: FieldType) {
    var (type, containers, optionals): (FieldType, [Container], [Bool]) = (type, [], [])
    while true {
      optionals.append(type.isOptional)
      switch type.unwrapped {
      case .dictionary(let element):
        containers.append(.dictionary)
        type = element
      case .list(let element):
        containers.append(.list)
        type = element
      case .object(let members):
        self.members = members
        self.containers = containers
        self.optionals = optionals
        return
      default: return nil
      }
    }
  }

  /// The types that a member inside has in each of `forms`; nothing where one lacks it.
  static func types(of name: String, in forms: [FieldType]) -> [FieldType]? {
    let types = forms.compactMap { form in
      EmbeddedMembers(form)?.members.first { $0.name == name }?.type
    }
    return types.count == forms.count ? types : nil
  }

  /// Whether a member of this type may tell elements apart.
  static func mayBeKey(_ type: FieldType) -> Bool {
    switch type.unwrapped {
    case .list, .dictionary, .object: false
    default: true
    }
  }

  /// Whether two types differ in the members of their objects only, or besides in whether all of it
  /// is optional.
  func isLike(_ other: EmbeddedMembers, ignoringOutermost: Bool = false) -> Bool {
    let ignored = ignoringOutermost ? 1 : 0
    return containers == other.containers
      && optionals.dropFirst(ignored) == other.optionals.dropFirst(ignored)
  }
}
