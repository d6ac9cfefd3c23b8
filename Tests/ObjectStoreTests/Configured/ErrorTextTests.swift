import ObjectStore
import Testing

@Suite("Errors say what happened, where, and what to do")
struct ErrorTextTests {
  @Test(
    "Each text",
    arguments: [
      (
        .notIndexable(type: "Person", member: "tags", holds: .list(.list(.string))),
        "Person.tags holds [[string]], by which objects cannot be looked up; "
          + "choose a bool, a number, a text, bytes, a date or a UUID, or a list or set of these"
      ),
      (
        .invalidIndex(type: "Person", member: "tags", reason: "no list is unique"),
        "Person declares an index of tags that there cannot be: no list is unique"
      ),
      (
        .notUnique(type: "Person", member: "email", keyText: "7"),
        "Person 7 has this value of the unique member email already; the object was not stored. "
          + "Choose another value, or change or delete that object first"
      ),
      (
        .keyTooLongForIndex(type: "Person", member: "email", byteCount: 4000, maximum: 3900),
        "an object of Person has a key of 4000 bytes, and beside its value of the indexed member "
          + "email there is room for 3900; nothing was changed. Choose a shorter key, or take the "
          + "index away"
      ),
      (
        .elementsNotToldApart(type: "Order", keyText: "7", member: "lines"),
        "the elements of lines in Order 7 hold members that this app does not know, and were "
          + "changed so that it cannot be told which holds what; nothing was changed. In one write "
          + "only add, only take away or only move elements; or let elementKey name a member in "
          + "which no two of them have the same"
      ),
      (
        .newerCatalog(reason: "collections have format 2, and 1 is known"),
        "a newer version of this library wrote the catalog of the store: collections have format "
          + "2, and 1 is known; nothing was changed. Update the app"
      ),
      (
        .conflictingSettings("the path is empty"),
        "the configuration cannot be used: the path is empty; change one of the two settings"
      ),
      (
        .openWithOtherSettings(path: "a", setting: "durability"),
        "the store at a is open in this process with other settings: durability differs; "
          + "open it with the same configuration, or close it first"
      ),
      (
        .openedByItsOwnMigration(path: "a"),
        "the migration block of the store at a opens the same store; use what the block is given"
      ),
      (
        .openedByAnotherOpening(path: "a"),
        "a migration block opens the store at a while another thread opens or closes it; "
          + "open that store before the one that is migrated"
      ),
      (
        .migrationNeeded(type: "Person", member: "age", from: .int64, to: .string, version: 2),
        "Person.age is string now, and int64 in objects of version 2; nothing was changed. Call "
          + "migration.enumerateObjects(ofType: \"Person\") in the migration block and set it"
      ),
      (
        .migrationNeeded(type: "Person", member: "age", from: .int64, to: .int64, version: 2),
        "Person.age is int64 now, as in objects of version 2, and was another member in a version "
          + "between, which may hold something else; nothing was changed. Call "
          + "migration.enumerateObjects(ofType: \"Person\") in the migration block and set it"
      ),
      (
        .migrationNeeded(
          type: "Person", member: "age", from: .optional(.int64), to: .optional(.int64),
          version: 2),
        "Person.age is int64? now, as in objects of version 2, and was another member, or not "
          + "optional, in a version between, which may hold something else; nothing was changed. "
          + "Call migration.enumerateObjects(ofType: \"Person\") in the migration block and set it"
      ),
      (
        .migrationNeeded(type: "Person", member: "born", from: nil, to: .date, version: 2),
        "Person.born is date now, and missing in objects of version 2, for which only code knows "
          + "it: it has no initial value that is always the same, or code made it another type "
          + "since; nothing was changed. Call "
          + "migration.enumerateObjects(ofType: \"Person\") in the migration block and set it to "
          + "what follows from the old object, or, with migrationTiming: .atOpen, to anything; or, "
          + "where it has none, give it an initial value that is always the same, as a Codable "
          + "type does in an init()"
      ),
      (
        .primaryKeyChanged(
          type: "Todo", from: "id", held: .int64, to: "title", holds: .string, version: 2),
        "the primary key of Todo is title (string) now, and id (int64) in objects of version 2; "
          + "nothing was changed. Keep id as the key, or open the store with a history in which "
          + "Rekey makes another member the key"
      ),
      (
        .unknownMigrationType(call: "enumerateObjects", type: "ToDo", known: ["Note", "Todo"]),
        "a migration block calls enumerateObjects for ToDo, a type that neither the models nor any "
          + "version of the store have; nothing was changed. Correct the name: there is Note, "
          + "Todo. Of a type that only some stores have, ask migration.oldSchema first; what is "
          + "embedded is set in the objects that hold it"
      ),
      (
        .unknownRename(type: "Todo", from: "titl", to: "name", missing: "titl", version: 2),
        "a migration block renames Todo.titl to name, and objects of version 2 have no titl; "
          + "nothing was changed. Correct the name, or rename it only for the versions that have it"
      ),
      (
        .unknownRename(type: "Todo", from: "title", to: "nam", missing: "nam", version: 2),
        "a migration block renames Todo.title to nam, and neither the models nor any version of "
          + "the store have nam, nor does code read it; nothing was changed. Correct the name"
      ),
      (
        .renamedOntoMember(
          type: "Todo", from: "name", to: "title", version: 2, isFormerName: true),
        "Todo.title was called name, as far as the models and the store tell, and what objects of "
          + "version 2 have under that name may be another member; nothing was changed. Take the "
          + "former name away where there is one; in the migration block, for such versions, call "
          + "renameProperty, or set title in enumerateObjects"
      ),
      (
        .renamedOntoMember(
          type: "Todo", from: "name", to: "title", version: 2, isFormerName: false),
        "a migration block renames Todo.name to title, and objects of version 2 have both; nothing "
          + "was changed. Rename title before it, or set title in enumerateObjects in place of the "
          + "rename"
      ),
      (
        .misplacedMigrationCall("create", "in a block with migrationTiming: .atOpen"),
        "a migration block calls create where it has no effect; nothing was changed. "
          + "Call it in a block with migrationTiming: .atOpen"
      ),
      (
        .migrationBlockFailed(fromVersion: 1, reason: "Stop()"),
        "the migration block failed for version 1: Stop(); nothing was changed. "
          + "Correct it in the next release"
      ),
      (
        .copyFailed(path: "a", reason: "no space"),
        "the store at a could not be copied or moved: no space; it is as it was. "
          + "Check the path, the permissions and the free space"
      ),
    ] as [(StoreError, String)])
  func text(error: StoreError, text: String) { #expect(error.description == text) }
}
