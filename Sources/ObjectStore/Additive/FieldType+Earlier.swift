internal import SchemaRegistry

extension FieldType {
  /// This type of a member, but as the store has it where an earlier release took it for that: a
  /// store keeps what it has, as apps cannot ask for anything else.
  ///
  /// `earlier` is what such a release took the whole member for. What is new inside is what it is
  /// now.
  func keeping(_ stored: FieldType, from earlier: FieldType) -> FieldType {
    if earlier.description == stored.description { return stored }
    switch (self, earlier, stored) {
    case (.optional(let new), .optional(let earlier), .optional(let stored)):
      return .optional(new.keeping(stored, from: earlier))
    case (.list(let new), .list(let earlier), .list(let stored)):
      return .list(new.keeping(stored, from: earlier))
    case (.dictionary(let new), .dictionary(let earlier), .dictionary(let stored)):
      return .dictionary(new.keeping(stored, from: earlier))
    case (.object(let members), .object(let earlier), .object(let stored)):
      return .object(
        members.map { member in
          guard let before = earlier.first(where: { $0.name == member.name }),
            let known = stored.first(where: { $0.name == member.name })
          else { return member }
          return MemberShape(member.name, member.type.keeping(known.type, from: before.type))
        })
    default: return self
    }
  }
}
