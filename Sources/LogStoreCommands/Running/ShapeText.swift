internal import SchemaRegistry

/// A type's shape for people and for programs.
enum ShapeText {
  /// One line for the type and one for each member.
  static func lines(_ shape: TypeShape) -> [String] {
    ["\(shape.name)"]
      + shape.members.map { member in
        "  \(member.name): \(member.type)" + (member.name == shape.keyMember ? "  (key)" : "")
      }
  }

  /// The form that a type has in a history file.
  static func report(_ shape: TypeShape) -> Report {
    [
      "name": .text(shape.name), "key": .text(shape.keyMember),
      "members": .reports(
        shape.members.map { ["name": .text($0.name), "type": .text($0.type.description)] }),
    ]
  }

  /// The form that a schema has as the base of a history file.
  static func report(_ schema: SchemaShape) -> Report {
    [
      "version": .count(schema.version.rawValue),
      "types": .reports(schema.types.sorted { $0.name < $1.name }.map { report($0) }),
    ]
  }
}
