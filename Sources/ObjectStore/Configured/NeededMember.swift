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

  /// Why a store is not opened whose block does nothing with the type.
  var missingCode: StoreError {
    .migrationNeeded(type: type, member: name, from: held, to: holds, version: version)
  }

  /// Why an object fails for which the block ran and did not set it: what it held would be lost.
  var mistake: String {
    "\(type).\(name) is \(holds) now, "
      + (held.map { "and \($0)" }
        ?? "without an initial value that is always the same, and missing")
      + " in objects of version \(version), and the migration block did not set it; set it for "
      + "every object in enumerateObjects(ofType: \"\(type)\")"
  }
}
