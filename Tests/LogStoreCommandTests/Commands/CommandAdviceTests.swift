import ObjectStore
import Testing

@testable import LogStoreCommands

@Suite("What commands advise is what can be done")
struct CommandAdviceTests {
  let bench: CommandBench

  init() throws { bench = try CommandBench() }

  @Test("What cannot be shown before a barrier names the command that passes it")
  func pendingBarrier() throws {
    bench.makeReadings(count: 2)
    let path = try bench.file(
      "rekeyed.json",
      #"{"format":1,"base":{"version":0,"types":[{"name":"Reading","key":"id","members":["#
        + #"{"name":"id","type":"int64"},{"name":"text","type":"string"}]}]},"#
        + #""versions":[{"version":1,"changes":[{"rekey":"Reading","to":"text"}]}]}"#)
    let dump = bench.run("dump STORE --history \(path)")
    #expect(dump.status == 7)
    #expect(dump.errors.contains("`logstore compact --history` does so"), "\(dump.errors)")
    // Who has given that command needs other advice.
    let plan = bench.run("compact STORE --dry-run --history \(path)")
    #expect(plan.status == 7)
    #expect(plan.errors.contains("Without --dry-run, compact runs that first"), "\(plan.errors)")
    #expect(!plan.errors.contains("does so"), "\(plan.errors)")
    #expect(bench.run("compact STORE --history \(path)").status == 0)
    #expect(bench.run("dump STORE --history \(path)").lines.count == 2)
  }

  @Test("suggest writes Widen, and offers Require and Convert with what an author must add")
  func typeChanges() throws {
    func file(_ name: String, _ age: String, _ nick: String, _ size: String) throws -> String {
      let members = [("id", "int64"), ("age", age), ("nick", nick), ("size", size)].map {
        #"{"name":"\#($0.0)","type":"\#($0.1)"}"#
      }
      return try bench.file(
        name,
        #"{"format":1,"base":{"version":0,"types":[{"name":"Person","key":"id","members":["#
          + members.joined(separator: ",") + "]}]}}")
    }
    let old = try file("old.json", "int32", "string?", "string")
    let new = try file("new.json", "int64", "string", "int64?")
    #expect(
      bench.run("schema suggest \(old) \(new)").lines == [
        "Version(1) {", #"  On("Person") { MakeOptional("size") }"#,
        #"  On("Person") { Widen("age", to: .int64) }"#, "}",
        #"// To decide: On("Person") { Require("nick", fill: …) } (Person.nick was made required)"#,
        #"// To decide: On("Person") { Convert("size", to: .optional(.int64)) { … } } "#
          + "(Person.size changed from string to int64)",
      ])
  }

  @Test("explain says that a store is newer than the history, and not that it is current")
  func olderHistory() throws {
    bench.makeReadings(count: 2)
    let newer = try bench.history(CommandBench.conversion)
    #expect(bench.run("compact STORE --history \(newer)").status == 0)
    let older = try bench.history("")
    let told = bench.run("schema explain STORE --history \(older)")
    #expect(told.status == 5)
    #expect(
      told.lines == [
        "Version 1, floor 1", "Reading of version 1: 2, newer than the history",
        "The history ends with version 0 and does not tell what newer objects need",
      ])
    let report = try bench.run("schema explain STORE --json --history \(older)").report()
    #expect(report["newer"] == .bool(true))
  }

  @Test("explain says that objects are older than a squashed history, with which nothing is opened")
  func squashedHistory() throws {
    bench.makeReadings(count: 2)
    let path = try bench.history(CommandBench.conversion)
    let squashed = try bench.file(
      "squashed.json", bench.run("schema squash --floor 1 --history \(path)").output)
    #expect(bench.run("dump STORE --history \(squashed)").status == 7)
    let told = bench.run("schema explain STORE --history \(squashed)")
    #expect(told.status == 7)
    #expect(
      told.lines == [
        "Version 0, floor 0", "Reading of version 0: 2, older than the history",
        "The history begins with version 1 and does not tell what older objects need: migrate them "
          + "with one that does",
      ])
    let report = try bench.run("schema explain STORE --json --history \(squashed)").report()
    #expect(report["older"] == .bool(true))
    guard case .list(let objects)? = report["objects"] else {
      Issue.record("objects must be a list")
      return
    }
    #expect(objects.map { $0["older"] } == [.bool(true)])
    #expect(objects.map { $0["operations"] } == [.null])
    #expect(bench.run("compact STORE --history \(path)").status == 0)
    let healed = bench.run("schema explain STORE --history \(squashed)")
    #expect(healed.status == 0 && healed.lines.last == "Reading of version 1: 2, current")
  }

  @Test("check --since says that edits are found only beside the file that shipped")
  func since() throws {
    let path = try bench.history(CommandBench.conversion)
    let told = bench.run("schema check --since 0 --history \(path)")
    #expect(
      told.lines.first
        == "Not checked: Edits of what shipped: no file says what the versions up to 0 were. "
        + "Compare with the history that was exported when it shipped, by --against.")
    #expect(!bench.run("schema check --history \(path)").output.contains("Edits"))
  }

  @Test("A type that cannot be read is told in sentences that end once")
  func fullStops() throws {
    let path = try bench.file(
      "bad.json",
      #"{"format":1,"base":{"version":0,"types":[{"name":"A","key":"id","members":["#
        + #"{"name":"id","type":"text"}]}]}}"#)
    let told = bench.run("schema check --history \(path)")
    #expect(told.status == 64)
    #expect(told.errors.contains("{string: int64}. See"), "\(told.errors)")
  }

  struct Customer: StorableObject {
    static let primaryKey = "id"
    static let indexes = [IndexDeclaration("mail", isUnique: true)]
    var id = 0
    var mail = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("mail", &mail)
    }
  }

  @Test("import tells which unique members it cannot compare")
  func uniqueMembers() throws {
    let path = try bench.file(
      "customers.json",
      #"{"format":1,"base":{"version":0,"types":[{"name":"Customer","key":"id","members":["#
        + #"{"name":"id","type":"int64"},{"name":"mail","type":"string"}]}]}}"#)
    let history = SchemaHistory {
      Base(0) {
        Type("Customer", key: "id") {
          Field("id", .int64)
          Field("mail", .string)
        }
      }
    }
    let store = try Store.open(at: bench.store, models: [Customer.self], history: history)
    try store.write { try $0.put(Customer(id: 1, mail: "m@x")) }
    try store.close()
    let row = #"{"id":2,"mail":"m@x"}"#
    let known = bench.run("import STORE --type Customer --history \(path)", input: row)
    #expect(known.status == 64)
    #expect(
      known.errors.contains("line 1 has an object that cannot be stored: "), "\(known.errors)")
    let told = bench.run("import STORE --type Customer", input: row)
    #expect(told.status == 0)
    #expect(
      told.errors.contains(
        "Note: values of the unique member mail are not compared with those that objects have; "
          + "Store.buildIndexes() of the app lists what is there twice"), "\(told.errors)")
    bench.makeReadings(count: 1)
    #expect(
      !bench.run("import STORE --type Reading", input: "{\"id\":9,\"text\":\"\"}\n")
        .errors.contains("unique"))
  }
}
