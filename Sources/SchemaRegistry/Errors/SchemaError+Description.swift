extension SchemaError: CustomStringConvertible {
  /// What happened, where, and what to do.
  public var description: String {
    switch self {
    case .reservedVersion, .invalidShape, .invalidTypeText, .unknownShapeFormat, .malformedShape:
      shapeDescription
    case .invalidValue, .invalidKey, .malformedPayload, .unknownCase, .migrationFailed:
      recordDescription
    case .barrierNotRun, .barrierFailed, .barrierNeedsUpgrades, .duplicateKeys, .keysTaken,
      .writtenByNewer:
      barrierDescription
    default:
      historyDescription
    }
  }

  /// How the reason begins where bytes are whole, and a type refuses the values in them.
  package static let typeRefuses = "its init(from:) refuses it: "

  private var barrierDescription: String {
    switch self {
    case .barrierNotRun(let type, let operationID):
      "\(type) has records from before \(operationID), which works on all of them at once and "
        + "has not run. Open the store for writing under the whole history; where it was written "
        + "under another history whose version has the same number, give the barrier a new one."
    case .writtenByNewer(let type, let version, let reason):
      "\(type) was written by version \(version) of the app: \(reason). Nothing was changed; "
        + "update the app."
    case .barrierFailed(let operationID, let underlying):
      "\(operationID) failed: \(underlying). Nothing was changed, and the version before still "
        + "opens the store; correct the barrier."
    case .barrierNeedsUpgrades(let operationID, let count, let examples):
      "\(operationID) needs every object in its new shape, and \(count) "
        + (count == 1 ? "object" : "objects") + " cannot be upgraded:"
        + examples.map { "\n  \($0)" }.joined() + (count > examples.count ? "\n  …" : "")
        + "\nNothing was changed, and the version before still opens the store. Correct the step "
        + "and raise its revision; no failure policy takes part here, as what it gives would be "
        + "stored for good. Store.validate() of the version before finds such objects."
    case .duplicateKeys(let type, let member, let count, let examples):
      "\(type).\(member) cannot be the primary key: \(count) "
        + (count == 1 ? "object has" : "objects have")
        + " the key of another: \(examples.joined(separator: ", ")). Nothing was changed; choose "
        + "keepFirst or keepLast, or make the values different in an earlier version."
    case .keysTaken(let type, let source, let count, let examples):
      "\(count) \(count == 1 ? "object" : "objects") of \(source) cannot move to \(type), which "
        + "has objects with their keys: \(examples.joined(separator: ", ")). Nothing was changed; "
        + "choose keepExisting or replace, or drop or Rekey objects in an earlier version."
    default: ""
    }
  }

  private var shapeDescription: String {
    switch self {
    case .reservedVersion:
      "The largest integer is reserved and cannot be a schema version; use a smaller number."
    case .invalidShape(let type, let reason):
      "The schema of \(type) is invalid: \(reason). Correct the declaration of \(type)."
    case .invalidTypeText(let text, let offset, let reason):
      "\"\(text.prefix(200))\" is not a field type: \(reason) at byte \(offset). "
        + "Write a type as in int64, string?, [string] or {string: int64}."
    case .unknownShapeFormat(let found):
      "A stored schema has format \(found), this library reads format "
        + "\(SchemaShape.encodingFormat); open the store with a newer library."
    case .malformedShape(let reason):
      "A stored schema is damaged: \(reason). Verify the store and restore it from a backup."
    default: ""
    }
  }

  private var recordDescription: String {
    switch self {
    case .invalidValue(let type, let member, let reason):
      "The value of \(type).\(member) cannot be stored: \(reason). "
        + "Give a value of the member's type."
    case .invalidKey(let keyType, let reason):
      "A primary key of type \(keyType) is invalid: \(reason). "
        + "Keys have 1 to \(SchemaLimits.keyByteCount) bytes."
    case .malformedPayload(let type, let keyText, let reason):
      "\(type) \(keyText) cannot be read: \(reason). "
        + (reason.hasPrefix(Self.typeRefuses)
          ? "Let the type accept what is stored."
          : "Verify the store and restore the record from a backup.")
    case .unknownCase(let type, let keyText, let member, let enumeration, let value):
      "\(type) \(keyText) holds \(value ?? "a value") in \(member), which no "
        + "case of \(enumeration) has. The object is whole: add the case, or convert the value in "
        + "a step."
    case .migrationFailed(let type, let keyText, let fromVersion, let operationID, let underlying):
      "\(type) \(keyText) could not be upgraded from version \(fromVersion): step "
        + "\(operationID) failed: \(underlying). The record is unchanged; correct the step in "
        + "the next release."
    default: ""
    }
  }

  private var historyDescription: String {
    switch self {
    case .invalidHistory(let issues):
      "The schema history has \(issues.count) "
        + (issues.count == 1 ? "issue" : "issues")
        + issues.map { "\n  \($0)" }.joined()
    case .invalidHistoryDocument(let path, let reason):
      "The history file cannot be read at \(path): \(reason). "
        + "See Documentation/HistoryFile.md for its form."
    case .storeIsNewer(let stored, let requested):
      "The store was written under schema version \(stored), the code has version \(requested). "
        + "Nothing was changed; open it with version \(stored) of the code or a later one."
    case .schemaMismatch(let version, let differences):
      "The stored schema of version \(version) differs from the one that now has this number:"
        + Self.lines(differences)
        + "\nAdd a new version to the history instead of changing version \(version)."
    case .chainIncomplete(let missing, let oldestStored, let requested, let recordCount):
      "The history lacks version \(missing): \(recordCount) "
        + (recordCount == 1 ? "record" : "records")
        + " from version \(oldestStored) on need it to reach version \(requested). "
        + "Put Version(\(missing)) back into the history."
    case .chainDoesNotReachModel(let version, let differences):
      "The history's schema of version \(version) is not the one that the code declares:"
        + Self.lines(differences)
        + "\nAdd operations to the history, or correct the declarations."
    case .linksToRemovedTypes(let version, let links):
      "Members link to types that the history has no more in version \(version):"
        + links.map { "\n  \($0)" }.joined()
        + "\nTake these members away, or keep the types in the history."
    case .linksToChangedKeys(let issues):
      "Members of models link to types whose keys the history changes:"
        + issues.map { "\n  \($0)" }.joined()
    case .linksToOtherTypes(let issues):
      "Members of models link to other types than those whose keys they hold:"
        + issues.map { "\n  \($0)" }.joined()
    case .casesDiffer(let version, let differences):
      "Enumerations in the code have other cases than version \(version) of the history:"
        + differences.map { difference in
          let ways = difference.alternatives.map { $0.joined(separator: ", ") }
          return "\n  \(difference): \(ways.joined(separator: "; or "))"
        }.joined()
        + "\nPut these operations into a new version, or correct the enumerations. MapCases takes "
        + "several cases at once."
    case .notAdditive(let changes, let withoutDefault):
      "The models do more than add to the schema of the store, which other apps share:"
        + Self.lines(changes)
        + withoutDefault.map { "\n  \($0) was added, required and without a fixed initial value" }
        .joined()
        + "\nNothing was changed. Leave these members as they are, and add others under new names, "
        + "optional or with a fixed initial value"
        + (withoutDefault.isEmpty
          ? "; a Codable type says those in an init()."
          : ". A Codable type says those in an init(), here \(Self.types(of: withoutDefault)), and "
            + "for what its members hold, too; an EmbeddedObject says them in its own.")
    case .historyEdited(let operationIDs):
      "Operations that this store already used were edited: "
        + operationIDs.joined(separator: ", ")
        + ". Restore them and put the change into a new version; for code that failed and is "
        + "mended, raise its revision."
    case .unknownVersion(let version, let oldest, let latest):
      "The history has no version \(version), it reaches from version \(oldest) to \(latest). "
        + "Ask for one of these, or add the version to the history."
    case .unknownType(let type, let version):
      "Version \(version) of the history has no type \(type). "
        + "Check the name and the version, or add the type to the history."
    case .needsApplicationCode(let type, let operationIDs):
      "\(type) is upgraded by Swift code (\(operationIDs.joined(separator: ", "))), which a "
        + "history file cannot hold. Run the upgrade in the app that has this code."
    default: ""
    }
  }

  /// The types whose members these are, as in `Person.home.zip`.
  private static func types(of members: [String]) -> String {
    let types = members.compactMap { $0.split(separator: ".").first.map(String.init) }
    return Set(types).sorted().joined(separator: ", ")
  }

  private static func lines(_ differences: [SchemaDifference]) -> String {
    differences.map { "\n  \($0)" }.joined()
  }
}
