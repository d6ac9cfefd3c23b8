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

  /// The form that a type has in a history file, with what it and its members are: a file whose
  /// base is a later version means the same ones only so.
  static func report(_ shape: TypeShape) -> Report {
    [
      "name": .text(shape.name), "key": .text(shape.keyMember),
      "introducedIn": .count(shape.identity.introducedIn.rawValue),
      "originalName": .text(shape.identity.originalName),
      "members": .reports(
        shape.members.map { member in
          [
            "name": .text(member.name), "type": .text(member.type.description),
            "introducedIn": .count(member.identity.introducedIn.rawValue),
            "originalName": .text(member.identity.originalName),
          ]
        }),
    ]
  }

  /// The form that a schema has as the base of a history file, with what is known of the versions
  /// before: the fingerprint, and which types they removed.
  static func report(
    _ schema: SchemaShape, fingerprint: ShapeFingerprint?, removed: [TypeIdentity]
  ) -> Report {
    var report: Report = [
      "version": .count(schema.version.rawValue),
      "types": .reports(schema.types.sorted { $0.name < $1.name }.map { self.report($0) }),
    ]
    if let fingerprint { report["fingerprint"] = .text(fingerprint.description) }
    if !removed.isEmpty {
      report["removedTypes"] = .reports(
        removed.map { type in
          [
            "introducedIn": .count(type.introducedIn.rawValue),
            "originalName": .text(type.originalName),
          ]
        })
    }
    return report
  }

  /// The types that earlier versions had and a version took away. One that is just missing was not
  /// removed: an app that does not know a type leaves its objects alone.
  static func removedTypes(
    before schema: SchemaShape, in schemas: [SchemaShape],
    _ ledger: [SchemaVersion: RecordedVersion]
  ) -> [TypeIdentity] {
    let types = schemas.filter { $0.version < schema.version }.flatMap(\.types).map(\.identity)
    return Set(types).subtracting(schema.types.map(\.identity)).filter { type in
      ledger.values.contains { $0.version <= schema.version && $0.grades[type] == .refused }
    }.sorted()
  }
}
