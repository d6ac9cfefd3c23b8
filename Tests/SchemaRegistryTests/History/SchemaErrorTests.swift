import SchemaRegistry
import Testing

@Suite("Error sentences")
struct SchemaErrorTests {
  private static let difference = SchemaDifference.memberAdded(
    type: "Person", member: "a", holds: .bool)
  private static let issue = HistoryIssue(
    operationID: "v1/Person/1", member: "Person.a", problem: "It is wrong.",
    suggestion: "Mend it.")

  private static let shapes: [(SchemaError, String)] = [
    (
      .reservedVersion,
      "The largest integer is reserved and cannot be a schema version; use a smaller number."
    ),
    (
      .invalidShape(type: "Person", reason: "why"),
      "The schema of Person is invalid: why. Correct the declaration of Person."
    ),
    (
      .invalidTypeText(text: "int", offset: 3, reason: "int is not a type"),
      "\"int\" is not a field type: int is not a type at byte 3. Write a type as in int64, "
        + "string?, [string] or {string: int64}."
    ),
    (
      .unknownShapeFormat(found: 9),
      "A stored schema has format 9, this library reads format 1; open the store with a newer "
        + "library."
    ),
    (
      .malformedShape(reason: "why"),
      "A stored schema is damaged: why. Verify the store and restore it from a backup."
    ),
  ]

  private static let sets: [(SchemaError, String)] = [
    (
      .linksToRemovedTypes(
        version: 3, links: [MemberLink(type: "Note", member: "author", target: "Person")]),
      "Members link to types that the history has no more in version 3:\n  Note.author links to "
        + "Person\nTake these members away, or keep the types in the history."
    ),
    (
      .linksToChangedKeys([issue]),
      "Members of models link to types whose keys the history changes:\n  v1/Person/1 (Person.a): "
        + "It is wrong. Mend it."
    ),
    (
      .linksToOtherTypes([issue]),
      "Members of models link to other types than those whose keys they hold:\n  v1/Person/1 "
        + "(Person.a): It is wrong. Mend it."
    ),
    (
      .casesDiffer(
        version: 3,
        differences: [
          CaseDifference(
            type: "Order", member: "status", added: ["paid"], removed: ["new", "old"]),
          CaseDifference(type: "Order", member: "level", added: [2, 3], removed: []),
        ]),
      "Enumerations in the code have other cases than version 3 of the history:\n  Order.status "
        + "has \"paid\" besides and lacks \"new\", \"old\": "
        + "RenameCase(\"status\", \"new\", to: …), "
        + "RenameCase(\"status\", \"old\", to: …); or AddCases(\"status\", [\"paid\"]), "
        + "RemoveCase(\"status\", \"new\", to: …), RemoveCase(\"status\", \"old\", to: …)\n"
        + "  Order.level has 2, 3 besides: AddCases(\"level\", [2, 3])\nPut these operations into "
        + "a new version, or correct the enumerations. MapCases takes several cases at once."
    ),
    (
      .notAdditive(changes: [difference], withoutDefault: ["Person.born"]),
      "The models do more than add to the schema of the store, which other apps share:\n  Person.a "
        + "was added as bool\n  Person.born was added, required and without a fixed initial value\n"
        + "Nothing was changed. Leave these members as they are, and add others under new names, "
        + "optional or with a fixed initial value. A Codable type says those in an init(), here "
        + "Person, and for what its members hold, too; an EmbeddedObject says them in its own."
    ),
  ]

  private static let records: [(SchemaError, String)] = [
    (
      .invalidValue(type: "Person", member: "a", reason: "why"),
      "The value of Person.a cannot be stored: why. Give a value of the member's type."
    ),
    (
      .invalidKey(keyType: .uuid, reason: "why"),
      "A primary key of type uuid is invalid: why. Keys have 1 to 4096 bytes."
    ),
    (
      .malformedPayload(type: "Person", keyText: "7", reason: "why"),
      "Person 7 cannot be read: why. Verify the store and restore the record from a backup."
    ),
    (
      .unknownCase(
        type: "Person", keyText: "7", member: "home.kind", enumeration: "Kind", value: "\"hut\""),
      "Person 7 holds \"hut\" in home.kind, which no case of Kind has. The object is whole: add "
        + "the case, or convert the value in a step."
    ),
    (
      .migrationFailed(
        type: "Person", keyText: "7", fromVersion: 1, operationID: "v2/Person/1",
        underlying: "why"),
      "Person 7 could not be upgraded from version 1: step v2/Person/1 failed: why. The record "
        + "is unchanged; correct the step in the next release."
    ),
  ]

  private static let histories: [(SchemaError, String)] = [
    (
      .invalidHistory([issue]),
      "The schema history has 1 issue\n  v1/Person/1 (Person.a): It is wrong. Mend it."
    ),
    (
      .invalidHistoryDocument(path: "base", reason: "why"),
      "The history file cannot be read at base: why. See Documentation/HistoryFile.md for its "
        + "form."
    ),
    (
      .storeIsNewer(stored: 3, requested: 2),
      "The store was written under schema version 3, the code has version 2. Nothing was "
        + "changed; open it with version 3 of the code or a later one."
    ),
    (
      .schemaMismatch(version: 2, differences: [difference]),
      "The stored schema of version 2 differs from the one that now has this number:\n"
        + "  Person.a was added as bool\n"
        + "Add a new version to the history instead of changing version 2."
    ),
    (
      .chainIncomplete(missing: 2, oldestStored: 1, requested: 3, recordCount: 1),
      "The history lacks version 2: 1 record from version 1 on need it to reach version 3. Put "
        + "Version(2) back into the history."
    ),
    (
      .chainDoesNotReachModel(version: 2, differences: [difference]),
      "The history's schema of version 2 is not the one that the code declares:\n"
        + "  Person.a was added as bool\n"
        + "Add operations to the history, or correct the declarations."
    ),
    (
      .historyEdited(operationIDs: ["v1/Person/1"]),
      "Operations that this store already used were edited: v1/Person/1. Restore them and put "
        + "the change into a new version; for code that failed and is mended, raise its revision."
    ),
    (
      .unknownVersion(version: 9, oldest: 1, latest: 3),
      "The history has no version 9, it reaches from version 1 to 3. Ask for one of these, or "
        + "add the version to the history."
    ),
    (
      .unknownType(type: "Pet", version: 2),
      "Version 2 of the history has no type Pet. Check the name and the version, or add the "
        + "type to the history."
    ),
    (
      .needsApplicationCode(type: "Person", operationIDs: ["v1/Person/1"]),
      "Person is upgraded by Swift code (v1/Person/1), which a history file cannot hold. Run "
        + "the upgrade in the app that has this code."
    ),
  ]

  @Test("Every error says what happened, where, and what to do")
  func sentences() {
    for (error, sentence) in Self.shapes + Self.sets + Self.records + Self.histories {
      #expect(error.description == sentence)
    }
  }
}
