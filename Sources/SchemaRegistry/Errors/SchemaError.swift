/// Why a schema, a history, a payload or an upgrade was refused.
///
/// Names of types and members and the keys of objects may appear in the text; values do not, but
/// for raw values that are no case, values that were to become keys, and what an app's own error
/// says.
public enum SchemaError: Error, Equatable, Sendable {
  // MARK: Shapes

  /// The largest integer was used as a schema version.
  case reservedVersion
  /// A type breaks a rule of schemas.
  case invalidShape(type: String, reason: String)
  /// The text form of a field type cannot be read; `offset` counts bytes.
  case invalidTypeText(text: String, offset: Int, reason: String)
  /// An encoded schema starts with a format number that this version does not know.
  case unknownShapeFormat(found: UInt8)
  /// An encoded schema is damaged.
  case malformedShape(reason: String)

  // MARK: Values

  /// A value does not fit its member.
  case invalidValue(type: String, member: String, reason: String)
  /// A value or its bytes cannot be a primary key.
  case invalidKey(keyType: FieldType, reason: String)
  /// The payload of a record is not what its shape says.
  case malformedPayload(type: String, keyText: String, reason: String)

  /// An object that is whole holds a raw value which no case of an enumeration in the code has, as
  /// a newer app wrote it or the case was taken away. `value` is a text, in quotes where the value
  /// is one, and told where the type lists its cases; not where another `Codable` type gives its
  /// decoder to that one.
  case unknownCase(
    type: String, keyText: String, member: String, enumeration: String, value: String?)

  // MARK: Histories and stores

  /// A history contradicts itself; every issue is listed.
  case invalidHistory([HistoryIssue])
  /// A history file cannot be read; `path` leads to the place, as in
  /// `versions[2].changes[0].operations[1]`.
  case invalidHistoryDocument(path: String, reason: String)
  /// The store was written under a newer version than the one requested.
  case storeIsNewer(stored: SchemaVersion, requested: SchemaVersion)
  /// The stored schema of `version` is not the one that is now called so.
  case schemaMismatch(version: SchemaVersion, differences: [SchemaDifference])
  /// The history does not reach from the oldest records to the requested version.
  case chainIncomplete(
    missing: SchemaVersion, oldestStored: SchemaVersion, requested: SchemaVersion,
    recordCount: UInt64)
  /// The last schema of the history is not the one that the code declares.
  case chainDoesNotReachModel(version: SchemaVersion, differences: [SchemaDifference])
  /// Members that the code declares link to types that the history removed.
  case linksToRemovedTypes(version: SchemaVersion, links: [MemberLink])
  /// Members that the code declares link to types whose keys the history changes, or whose objects
  /// it moves to another type: what they hold would lead to other objects, or to none.
  case linksToChangedKeys([HistoryIssue])
  /// Members that the code declares link to other types than those whose keys they hold: the
  /// history declares another target, or made a type of the name of one that it has no more.
  case linksToOtherTypes([HistoryIssue])
  /// Enumerations that the code declares have other cases than the history declares.
  case casesDiffer(version: SchemaVersion, differences: [CaseDifference])
  /// The models change members that other apps of a shared store use, or add required members, as
  /// in `Person.age`, whose initial value differs from one object to the next.
  case notAdditive(changes: [SchemaDifference], withoutDefault: [String])
  /// Operations of versions that were already used on this store were edited.
  case historyEdited(operationIDs: [String])
  /// A history does not know a version.
  case unknownVersion(version: SchemaVersion, oldest: SchemaVersion, latest: SchemaVersion)
  /// A version of a history does not know a type.
  case unknownType(type: String, version: SchemaVersion)
  /// Steps written as Swift closures are needed, and only their description is at hand.
  case needsApplicationCode(type: String, operationIDs: [String])

  /// Objects of a type were written by a newer app, and cannot be used in this way by this one.
  case writtenByNewer(type: String, version: SchemaVersion, reason: String)

  // MARK: Barriers

  /// Records are older than a barrier that works on all of them and has not run.
  case barrierNotRun(type: String, operationID: String)
  /// A barrier failed; the store is as it was before.
  case barrierFailed(operationID: String, underlying: String)
  /// A barrier needs all objects of its types in their new shape, and steps before it fail for
  /// some; the store is as it was before. The first of them, with their steps.
  case barrierNeedsUpgrades(operationID: String, count: Int, examples: [String])
  /// Objects would get the same key; the first of them by their new key and their old ones.
  case duplicateKeys(type: String, member: String, count: Int, examples: [String])
  /// Objects of `from` would move to `type`, which has objects with their keys; the first of these.
  case keysTaken(type: String, from: String, count: Int, examples: [String])

  // MARK: Upgrades

  /// A step failed on one record; the record stays as it is.
  case migrationFailed(
    type: String, keyText: String, fromVersion: SchemaVersion, operationID: String,
    underlying: String)
}
