import ObjectStore
import Testing

@testable import LogStoreCommands

@Suite("get, dump, stats and schema show what is stored, upgraded where a history is given")
struct ReadingCommandTests {
  let bench: CommandBench

  init() throws { bench = try CommandBench() }

  @Test("get prints one object; 1 stands for no such object, 64 for a wrong type or key")
  func get() throws {
    bench.makeReadings()
    #expect(bench.run("get STORE Reading 7").output == "{\"id\":7,\"text\":\"70\"}\n")
    let absent = bench.run("get STORE Reading 700")
    #expect(absent.status == 1)
    #expect(absent.output.isEmpty && absent.errors.hasPrefix("Not found:"))
    #expect(try bench.run("get STORE Reading 700 --json").error()["exitCode"] == .integer(1))
    let type = bench.run("get STORE Raeding 7")
    #expect(type.status == 64)
    #expect(type.errors.contains("its types are Reading"))
    let key = bench.run("get STORE Reading seven")
    #expect(key.status == 64)
    #expect(key.errors.contains("the key of Reading is int64"))
  }

  @Test("A key may begin with a dash, wherever options stand")
  func dashes() throws {
    let rows = "{\"id\":-5,\"text\":\"below\"}\n{\"id\":5,\"text\":\"above\"}\n"
    bench.run("import STORE --type Reading --key id --infer", input: rows)
    bench.run("import STORE --type Word --key word --infer", input: "{\"word\":\"-x\"}\n")
    let history = try bench.history("")
    for line in [
      "get STORE Reading -5", "get STORE Reading -- -5", "get STORE Reading -5 --json",
      "get --json STORE Reading -5", "get STORE Reading -5 --history \(history)",
      "get --history \(history) STORE Reading -5",
    ] {
      let outcome = bench.run(line)
      #expect(outcome.output == "{\"id\":-5,\"text\":\"below\"}\n", "\(line): \(outcome.errors)")
      #expect(outcome.status == 0)
    }
    #expect(bench.run("get STORE Word -x").output == "{\"word\":\"-x\"}\n")
    #expect(bench.run("get STORE Reading -7").status == 1)
    #expect(bench.run("get STORE Reading -7 --json").status == 1)
    // What is wrong stays wrong, and help is help.
    for line in [
      "get STORE Reading", "get STORE -5", "get STORE Reading 5 -x", "get STORE Reading --jsn",
      "get STORE -x Reading 5", "get STORE Reading -5 -6",
    ] {
      #expect(bench.run(line).status == 64, "\(line)")
    }
    let help = bench.run("get STORE Reading -h")
    #expect(help.status == 0)
    #expect(help.output.contains("USAGE: logstore get"))
  }

  @Test("A uuid and bytes are keys in the form in which a dump prints them")
  func keysOfOtherTypes() throws {
    let path = try bench.file(
      "types.json",
      #"""
      {"format":1,"base":{"version":0,"types":[
        {"name":"U","key":"id","members":[{"name":"id","type":"uuid"}]},
        {"name":"D","key":"id","members":[{"name":"id","type":"data"}]}]}}
      """#)
    let uuid = "00112233-4455-6677-8899-aabbccddeeff"
    for (type, key) in [("U", uuid), ("D", "AQI=")] {
      let row = "{\"id\":\"\(key)\"}\n"
      #expect(bench.run("import STORE --type \(type) --history \(path)", input: row).status == 0)
      #expect(bench.run("get STORE \(type) \(key)").output == row)
      #expect(bench.run("get STORE \(type) !").status == 64)
    }
  }

  @Test("verify and dump say how many objects of types that are gone they do not show")
  func removedTypes() throws {
    let base = Base(0) {
      Type("Draft", key: "id") { Field("id", .int64) }
      Type("Note", key: "id") { Field("id", .int64) }
    }
    var configuration = StoreConfiguration()
    configuration.compaction = .off
    var store = try Store.open(
      at: bench.store, models: [], history: SchemaHistory { base }, configuration: configuration)
    try store.write { transaction in
      for id in 1...3 { try transaction.put([.int(Int64(id))], ofType: "Draft") }
      try transaction.put([1], ofType: "Note")
    }
    try store.close()
    #expect(!bench.run("verify STORE").output.contains("Note: "))
    store = try Store.open(
      at: bench.store, models: [],
      history: SchemaHistory {
        base
        Version(1) { RemoveType("Draft") }
      }, configuration: configuration)
    try store.write { try $0.put([2], ofType: "Note") }
    try store.close()
    let sentence =
      "3 objects of Draft, which the newest version of the schema has no more, are left until "
      + "compaction, and not "
    let checked = bench.run("verify STORE")
    #expect(checked.status == 0)
    #expect(checked.lines.contains("Note: \(sentence)decoded"), "\(checked.output)")
    #expect(
      try bench.run("verify STORE --json").report()["notes"]
        == .list([.text("\(sentence)decoded")]))
    let dumped = bench.run("dump STORE")
    #expect(dumped.lines == [#"{"id":1}"#, #"{"id":2}"#])
    #expect(dumped.errors.contains("\(sentence)shown"), "\(dumped.errors)")
  }

  @Test("R19: dump leaves out the object whose upgrade fails, names it, goes on, and ends with 7")
  func failingStep() throws {
    bench.makeReadings(count: 10) { $0 == 4 ? "broken" : "\($0)" }
    let failing = try bench.history(CommandBench.conversion)
    let outcome = bench.run("dump STORE --history \(failing)")
    #expect(outcome.status == 7)
    #expect(outcome.lines.count == 9)
    #expect(outcome.lines[4] == #"{"id":5,"text":5}"#)
    for word in ["Reading 4", "version 0", "v1/Reading/1"] {
      #expect(outcome.errors.contains(word), "\(outcome.errors)")
    }
    #expect(!outcome.errors.contains("broken"))
    let one = bench.run("get STORE Reading 4 --history \(failing) --json")
    #expect(one.status == 7)
    #expect(try one.error()["key"] == .text("4"))
    #expect(try one.error()["step"] == .text("v1/Reading/1"))
    #expect(try one.error()["version"] == .integer(0))
    let corrected = try bench.history(CommandBench.correctedConversion)
    let healed = bench.run("dump STORE --history \(corrected)")
    #expect(healed.status == 0)
    #expect(healed.lines[4] == #"{"id":4,"text":-1}"#)
  }

  @Test("R2: commands that read change no byte of any file")
  func readingChangesNothing() throws {
    bench.makeReadings()
    let path = try bench.history(CommandBench.conversion)
    let before = try bench.contents()
    for line in [
      "get STORE Reading 1", "dump STORE", "stats STORE", "schema show STORE",
      "compact STORE --dry-run",
    ] {
      #expect(bench.run(line).status == 0)
      #expect(bench.run(line + " --history \(path)").status == 0)
    }
    #expect(bench.run("verify STORE").status == 0)
    #expect(try bench.contents() == before)
  }

  @Test("stats counts objects by type and version, and segments with their dead records")
  func stats() throws {
    bench.makeReadings()
    bench.run("import STORE --type Reading", input: "{\"id\":1,\"text\":\"x\"}\n")
    let report = try bench.run("stats STORE --json").report()
    #expect(report["objects"] == .integer(20))
    #expect(report["deadRecords"] == .integer(1))
    #expect(report["oldestStoredVersion"] == .integer(0))
    #expect(report["replayedRecords"] == .integer(0))
    guard case .list(let types)? = report["types"], case .list(let segments)? = report["segments"]
    else {
      Issue.record("types and segments must be lists")
      return
    }
    #expect(types.map { $0["objects"] } == [.integer(20)])
    #expect(segments.count == 2)
    #expect(segments[0]["file"] == .text("segment-00000001.log"))
    guard case .integer(let dead)? = report["deadBytes"] else {
      Issue.record("deadBytes must be a number")
      return
    }
    #expect(dead > 0)
    let text = bench.run("stats STORE").output
    #expect(text.contains(" live, \(ByteCount(UInt64(dead))) dead"))
    #expect(text.contains("Objects   20 live; 1 dead records"))
    #expect(text.contains("Reading        0       20"))
    #expect(bench.run("stats STORE --opens 0").status == 64)
    #expect(bench.run("stats STORE --opens 3").status == 0)
  }

  @Test("stats and schema explain show a store whose history was edited after it shipped")
  func editedHistory() throws {
    bench.makeReadings()
    let shipped = try bench.history(CommandBench.conversion)
    #expect(bench.run("compact STORE --history \(shipped)").status == 0)
    let edited = try bench.history(CommandBench.correctedConversion)
    for line in ["stats STORE", "dump STORE", "schema explain STORE"] {
      let outcome = bench.run("\(line) --history \(edited)")
      #expect(outcome.status == 0, "\(line): \(outcome.errors)")
    }
  }

  @Test("schema show prints a base that a history file takes as it is")
  func schemaShow() throws {
    bench.makeReadings()
    guard case .list(let versions)? = try bench.run("schema show STORE --json").report()["versions"]
    else {
      Issue.record("versions must be a list")
      return
    }
    var writer = JSONWriter()
    CanonicalJSON.append(try #require(versions.first), to: &writer)
    let path = try bench.file("base.json", "{\"format\":1,\"base\":\(writer.text)}")
    #expect(bench.run("dump STORE --history \(path)").output == bench.run("dump STORE").output)
    let latest = try bench.history(CommandBench.conversion)
    let shown = bench.run("schema show STORE --history \(latest)")
    #expect(shown.output.contains("Version 1  (of the history, not stored yet)"))
    #expect(shown.output.contains("    text: int64\n"))
  }

  @Test("R28: types that a history does not know are read, kept, and named as they are stored")
  func foreignTypes() throws {
    bench.makeReadings(count: 2)
    bench.run("import STORE --type Other --key k --infer", input: "{\"k\":\"a\"}\n")
    let path = try bench.history(CommandBench.conversion)
    let before = bench.run("dump STORE --history \(path)")
    #expect(before.lines.first == #"{"object":{"k":"a"},"type":"Other"}"#)
    #expect(bench.run("compact STORE --history \(path)").status == 0)
    bench.run("import STORE --type Reading --history \(path)", input: "{\"id\":0,\"text\":0}\n")
    #expect(bench.run("dump STORE --history \(path)").output == before.output)
    #expect(bench.run("dump STORE").output == before.output)
  }

  @Test("dump says which objects have shapes of several versions, where no history makes them one")
  func mixedVersions() throws {
    bench.makeReadings(count: 2)
    #expect(bench.run("dump STORE").errors == "")
    let path = try bench.history(#"{"add":"unit","type":"string?"}"#)
    bench.run("import STORE --type Reading --history \(path)", input: "{\"id\":7,\"text\":\"\"}\n")
    let sentence = "objects of Reading were written under versions 0, 1, and each is shown"
    for line in ["dump STORE", "dump STORE --type Reading"] {
      let mixed = bench.run(line)
      #expect(mixed.errors.hasPrefix(sentence), "\(mixed.errors)")
      #expect(mixed.lines.first == #"{"id":0,"text":"0"}"#)
      #expect(mixed.lines.last == #"{"id":7,"text":"","unit":null}"#)
    }
    #expect(bench.run("dump STORE --json").errors == "")
    let whole = bench.run("dump STORE --history \(path)")
    #expect(whole.errors == "")
    #expect(whole.lines.first == #"{"id":0,"text":"0","unit":null}"#)
  }

  /// Two members, of which each got the other's name later.
  struct Pair: CodableObject {
    static let primaryKey = "id"
    var id = 0
    var a = ""
    var b = ""
  }

  struct Exchanged: CodableObject {
    static let typeName = "Pair"
    static let primaryKey = "id"
    static let formerNames = ["a": ["b"], "b": ["a"]]
    var id = 0
    var a = ""
    var b = ""
  }

  @Test("R24: members that exchanged their names make another shape, though it reads the same")
  func exchangedNames() throws {
    func put(_ object: some StorableObject, _ version: UInt64) throws {
      var configuration = Store.Configuration(
        path: bench.store, models: [type(of: object)], schemaVersion: version,
        migrationTiming: .onRead)
      configuration.compaction = .off
      let store = try Store(configuration: configuration)
      try store.write { try $0.put(object) }
      try store.close()
    }
    try put(Pair(id: 1, a: "A", b: "B"), 1)
    try put(Pair(id: 2, a: "A", b: "B"), 1)
    #expect(bench.run("dump STORE").errors == "")
    try put(Exchanged(id: 3, a: "B", b: "A"), 2)
    let errors = bench.run("dump STORE").errors
    #expect(
      errors.hasPrefix("objects of Pair were written under versions 1, 2"),
      "\(errors) \(bench.run("schema explain STORE").output)")
  }
}
