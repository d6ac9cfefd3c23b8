internal import SchemaRegistry

/// A member of which nothing but a migration block knows what objects of an older version hold: its
/// old values do not fit it, or it is new and has no initial value that is always the same.
struct NeededMember {
  let type: String
  let name: String
  /// What it held; nothing for one that is new.
  let held: FieldType?
  let holds: FieldType
  let version: SchemaVersion
  /// The stored member whose values it keeps, so that it must be set only where that is nil;
  /// nothing when it keeps none.
  var kept: String?
  /// The stored member that it may be, as its name is another one's since.
  var lost: String?

  init(
    type: String, name: String, held: FieldType?, holds: FieldType, version: SchemaVersion
  ) {
    self.type = type
    self.name = name
    self.held = held
    self.holds = holds
    self.version = version
  }

  /// Whether an object with these stored members has it without code.
  func isKept(from stored: [String: Value]) -> Bool {
    guard let kept, let value = stored[kept] else { return false }
    return !value.isNull
  }

  /// Why a store is not opened whose block does nothing with the type.
  var missingCode: StoreError {
    .migrationNeeded(type: type, member: name, from: held, to: holds, version: version)
  }

  /// Why an object fails for which the block ran and did not set it: what it held would be lost.
  var mistake: String {
    change + ", and the migration block did not set it; "
      + (kept == nil ? "set it for every object in " : "set it where it was nil, in ")
      + "enumerateObjects(ofType: \"\(type)\")"
  }

  private var change: String {
    guard let lost else {
      return Self.change(of: "\(type).\(name)", from: held, to: holds, version: version)
    }
    return "\(type).\(name) may be what was \(lost) in objects of version \(version), which is "
      + "called otherwise since"
  }

  /// How the member at `place` differs from what objects of a version have.
  static func change(
    of place: String, from held: FieldType?, to holds: FieldType, version: SchemaVersion
  ) -> String {
    guard let held else {
      return "\(place) is \(holds) now, and missing in objects of version \(version), for which "
        + "only code knows it: it has no initial value that is always the same, or code made it "
        + "another type since"
    }
    if held.description == holds.description {
      return
        "\(place) is \(holds) now, as in objects of version \(version), and was another member"
        + (holds.isOptional ? ", or not optional," : "")
        + " in a version between, which may hold something else"
    }
    return "\(place) is \(holds) now, and \(held) in objects of version \(version)"
  }
}
