import FileIO
import Foundation
import LogStore
import ObjectStore
import StorageTestSupport
import Testing

/// The barrier that lets objects go to another type.
@Suite("Objects move to another type in a barrier")
struct MoveTests {
  static let base = Base(0) {
    Type("Person", key: "id") {
      Field("id", .int64)
      Field("name", .string)
      Field("kind", .string)
      Field("nick", .optional(.string))
      Field("age", .int32)
    }
    Type("Customer", key: "number") {
      Field("number", .int64)
      Field("name", .string)
      Field("nick", .string)
      Field("age", .optional(.int64))
      Field("since", .int64)
      Field("note", .optional(.string))
    }
  }
  static let original = SchemaHistory { base }
  static let isCustomer = ValueExpression.member("kind").isEqual(to: "customer")
  static let defaults: [String: Value] = ["nick": "none", "since": 2000]

  static func history(@ChangeBuilder _ changes: () -> [SchemaChange]) -> SchemaHistory {
    SchemaHistory(
      base: base,
      versions: [
        Version(1) { On("Person") { Add("city", .string, default: "Rome") } },
        Version(number: 2, changes: changes()),
        Version(3) { On("Customer") { Rename("name", to: "title") } },
      ])
  }

  static func moving(_ policy: ExistingKeys = .fail) -> SchemaHistory {
    history {
      Move(
        "Person", to: "Customer", defaults: defaults, dropping: ["kind", "city"],
        onExisting: policy, where: isCustomer)
    }
  }

  static func open(_ fileSystem: some FileSystem, _ history: SchemaHistory) throws -> Store {
    try Store.open(
      at: "/people", history: history, configuration: BarrierCrashTests.configuration,
      fileSystem: fileSystem)
  }

  static func person(_ id: Int64) -> [String: Value] {
    [
      "id": .int(id), "name": .string("P\(id)"),
      "kind": .string(id % 3 == 0 ? "customer" : "staff"),
      "nick": id % 2 == 0 ? .null : .string("N\(id)"), "age": .int(id),
    ]
  }

  /// Thirty people, of whom ten are customers, and a customer under each of `numbers`.
  static func makeStore(_ fileSystem: some FileSystem, customers numbers: [Int64] = []) throws {
    let store = try open(fileSystem, original)
    try store.write { transaction in
      for id in 0..<30 as Range<Int64> {
        try transaction.put(transaction.makeObject(ofType: "Person", person(id)))
      }
      for number in numbers {
        try transaction.put(
          transaction.makeObject(
            ofType: "Customer",
            [
              "number": .int(number), "name": .string("C\(number)"), "nick": "", "since": 1,
            ]))
      }
    }
    try store.close()
  }

  static func keys(_ store: Store, _ type: String) throws -> [Int64] {
    try BarrierTests.all(store, type).compactMap { object in
      if case .int(let key) = object.key { key } else { nil }
    }
  }

  static let moved = [0, 3, 6, 9, 12, 15, 18, 21, 24, 27] as [Int64]
  static let staying = (0..<30 as Range<Int64>).filter { $0 % 3 != 0 }

  @Test("R30: objects go under their keys, with their members by name, once, and others stay")
  func moves() throws {
    let fileSystem = InMemoryFileSystem()
    try Self.makeStore(fileSystem, customers: [1, 100])
    for _ in 0..<2 {
      let store = try Self.open(fileSystem, Self.moving())
      #expect(try Self.keys(store, "Person") == Self.staying)
      #expect(try Self.keys(store, "Customer") == ([1, 100] + Self.moved).sorted())
      let snapshot = store.snapshot()
      let customer = try #require(try snapshot.object(ofType: "Customer", key: 6))
      #expect(
        customer.members == [
          "number": 6, "title": "P6", "nick": "none", "age": 6, "since": 2000, "note": .null,
        ])
      #expect(try snapshot.object(ofType: "Customer", key: 9)?["nick"] == "N9")
      #expect(try snapshot.object(ofType: "Customer", key: 1)?["title"] == "C1")
      #expect(try snapshot.object(ofType: "Person", key: 6) == nil)
      let person = try #require(try snapshot.object(ofType: "Person", key: 7))
      #expect(person.members == Self.person(7).merging(["city": "Rome"]) { old, _ in old })
      #expect(try store.statistics().oldestVersion ?? 0 >= 2)
      _ = try store.compact()
      try store.close()
    }
  }

  @Test("R29: a new type with the name of another leaves alone what that one has")
  func nameOfAnotherType() throws {
    let fileSystem = InMemoryFileSystem()
    try Self.makeStore(fileSystem, customers: [1, 2, 100])
    let history = Self.history {
      RenameType("Customer", to: "Account")
      On("Account") {
        DropRecords(where: .member("number").isEqual(to: 2))
        Remove("note")
        Add("note", .string, default: "anew")
      }
      Type("Customer", key: "id") {
        Field("id", .int64)
        Field("name", .string)
      }
      Move(
        "Person", to: "Customer", dropping: ["kind", "city", "nick", "age"],
        where: Self.isCustomer)
    }
    let store = try Self.open(fileSystem, history)
    #expect(try Self.keys(store, "Customer") == Self.moved)
    #expect(try Self.keys(store, "Account") == [1, 100])
    #expect(try store.snapshot().object(ofType: "Account", key: 1)?["note"] == "anew")
    try store.close()
  }

  @Test("R33, R36: keys that are taken are counted and named, and nothing has changed")
  func takenKeys() throws {
    let fileSystem = SimulatedFileSystem()
    try Self.makeStore(fileSystem, customers: [1, 3, 27])
    let before = try fileSystem.filesByName(in: "/people")
    do {
      _ = try Self.open(fileSystem, Self.moving())
      Issue.record("taken keys were accepted")
    } catch let error as StoreError {
      #expect(
        error
          == .schema(
            .keysTaken(type: "Customer", from: "Person", count: 2, examples: ["3", "27"])))
      #expect("\(error)".contains("2 objects of Person cannot move to Customer"), "\(error)")
    }
    #expect(try fileSystem.filesByName(in: "/people") == before)
    let store = try Self.open(fileSystem, Self.original)
    #expect(try Self.keys(store, "Person").count == 30)
    #expect(try Self.keys(store, "Customer") == [1, 3, 27])
    try store.close()
    let many = InMemoryFileSystem()
    try Self.makeStore(many, customers: Array(0..<40))
    // Memory does not grow with what is wrong.
    let everybody = Self.history {
      Move(
        "Person", to: "Customer", defaults: Self.defaults, dropping: ["kind", "city"],
        where: .constant(true))
    }
    do {
      _ = try Self.open(many, everybody)
      Issue.record("taken keys were accepted")
    } catch StoreError.schema(.keysTaken(_, _, let count, let examples)) {
      #expect(count == 30 && examples.count == 10)
    }
  }

  @Test(
    "R33: one of two objects with a key stays, as the policy says",
    arguments: [(ExistingKeys.keepExisting, "C3"), (.replace, "P3")])
  func policies(_ policy: ExistingKeys, _ title: String) throws {
    let fileSystem = InMemoryFileSystem()
    try Self.makeStore(fileSystem, customers: [1, 3, 27])
    let store = try Self.open(fileSystem, Self.moving(policy))
    #expect(try Self.keys(store, "Person") == Self.staying)
    #expect(try Self.keys(store, "Customer") == ([1] + Self.moved).sorted())
    let found = try store.snapshot().object(ofType: "Customer", key: 3)
    #expect(found?["title"] == .string(title))
    try store.close()
  }

  @Test("R30: a closure chooses as an expression does, also for a type that is new")
  func closures() throws {
    let files = InMemoryFileSystem()
    try Self.makeStore(files)
    let history = Self.history {
      Type("Elder", key: "id") {
        Field("id", .int64)
        Field("age", .int64)
      }
      Move(
        "Person", to: "Elder", from: "age", "nick", dropping: ["name", "kind", "nick", "city"]
      ) { (age: Int, nick: String?) in age >= 20 && nick != nil }
    }
    let store = try Self.open(files, history)
    #expect(try Self.keys(store, "Elder") == [21, 23, 25, 27, 29])
    #expect(try Self.keys(store, "Person").count == 25)
    let elder = try store.snapshot().object(ofType: "Elder", key: 23)
    #expect(elder?.members == ["id": 23, "age": 23])
    try store.close()
  }

  struct Refused: Error {}

  @Test("R36: objects for which the condition has no answer are counted and named")
  func failing() throws {
    let fileSystem = InMemoryFileSystem()
    try Self.makeStore(fileSystem)
    let history = Self.history {
      Move(
        "Person", to: "Customer", from: "age", defaults: Self.defaults,
        dropping: ["kind", "city"]
      ) { (age: Int) in
        if age > 27 { throw Refused() }
        return true
      }
    }
    do {
      _ = try Self.open(fileSystem, history)
      Issue.record("it went on")
    } catch StoreError.schema(.barrierFailed(let id, let reason)) {
      #expect(id == "v2/Person/1")
      #expect(
        reason == "2 objects: Person 28 gives the condition no answer, as Refused(); "
          + "Person 29 gives the condition no answer, as Refused()")
    }
    let store = try Self.open(fileSystem, Self.original)
    #expect(try Self.keys(store, "Person").count == 30)
    try store.close()
  }

  @Test("R30: files keep the move; with an expression it needs no code, a closure is described")
  func files() throws {
    let fileSystem = InMemoryFileSystem()
    try Self.makeStore(fileSystem)
    func readAgain(_ history: SchemaHistory) throws -> SchemaHistory {
      let file = try JSONEncoder().encode(HistoryDocument(history))
      let read = try JSONDecoder().decode(HistoryDocument.self, from: file).history
      #expect(read.operations.map(\.parameterHash) == history.operations.map(\.parameterHash))
      #expect(try read.fingerprint(at: 3) == history.fingerprint(at: 3))
      return read
    }
    let coded = try readAgain(
      Self.history {
        Move(
          "Person", to: "Customer", from: "age", defaults: Self.defaults,
          dropping: ["kind", "city"], onExisting: .replace, revision: 4
        ) { (age: Int) in age > 3 }
      })
    #expect(coded.operations.map(\.revision) == [0, 4, 0])
    #expect(coded.operations.map(\.needsApplicationCode) == [false, true, false])
    #expect(
      throws: StoreError.schema(
        .needsApplicationCode(type: "Person", operationIDs: ["v2/Person/1"]))
    ) { try Self.open(fileSystem, coded) }
    let store = try Self.open(fileSystem, try readAgain(Self.moving(.keepExisting)))
    #expect(try Self.keys(store, "Customer") == Self.moved)
    try store.close()
    let hashes = [
      Self.moving(.fail), Self.moving(.replace), coded,
      Self.history {
        Move(
          "Person", to: "Customer", defaults: ["nick": "none", "since": 1],
          dropping: ["kind", "city"], where: Self.isCustomer)
      },
    ].map { $0.operations[1].parameterHash }
    #expect(Set(hashes).count == 4)
  }

  @Test("What cannot be is found before any object is read")
  func issues() {
    func issues(
      _ target: String = "Customer", defaults: [String: Value] = Self.defaults,
      dropping: [String] = ["kind"], where condition: ValueExpression = Self.isCustomer,
      @ChangeBuilder with changes: () -> [SchemaChange] = { [] }
    ) -> [String] {
      let move = ChangeBuilder.buildExpression(
        Move("Person", to: target, defaults: defaults, dropping: dropping, where: condition))
      return SchemaHistory(
        base: Self.base, versions: [Version(number: 1, changes: changes() + move)]
      ).issues.map { "\($0.operationID) \($0.member ?? "")" }
    }
    #expect(issues() == [])
    #expect(issues("Ghost") == ["v1/Person/1 "])
    #expect(issues("Person") == ["v1/Person/1 "])
    #expect(issues(where: .member("name")) == ["v1/Person/1 Person.name"])
    #expect(issues(where: .member("ghost").isNil) == ["v1/Person/1 Person.ghost"])
    #expect(issues(dropping: []) == ["v1/Person/1 Person.kind"])
    #expect(issues(dropping: ["kind", "name"]) == ["v1/Person/1 Person.name"])
    #expect(issues(defaults: ["nick": "none"]) == ["v1/Person/1 Customer.since"])
    #expect(issues(defaults: ["since": 1]) == ["v1/Person/1 Customer.nick"])
    #expect(issues(defaults: ["nick": 5, "since": 1]) == ["v1/Person/1 Customer.nick"])
    #expect(
      issues(defaults: Self.defaults.merging(["number": 1]) { $1 }) == [
        "v1/Person/1 Customer.number"
      ])
    #expect(
      issues { On("Person") { Rename("nick", to: "alias") } } == ["v1/Person/2 Person.alias"])
    #expect(issues { On("Person") { Widen("age", to: .int64) } } == ["v1/Person/2 "])
    #expect(issues { On("Customer") { MakeOptional("since") } } == ["v1/Person/1 "])
    #expect(
      issues {
        Type("Other", key: "id") { Field("id", .string) }
        Move("Customer", to: "Other", dropping: [], where: .constant(true))
      }.contains("v1/Customer/1 Other.id"))
  }

  @Test("R28, R34: no declared link leads to the type then, unless it is led elsewhere")
  func links() {
    func history(@ChangeBuilder _ changes: () -> [SchemaChange]) -> SchemaHistory {
      SchemaHistory(
        base: Base(0) {
          Type("Person", key: "id") {
            Field("id", .int64)
            Field("home", .optional(.int64), linksTo: "Place")
          }
          Type("Customer", key: "id") {
            Field("id", .int64)
            Field("home", .optional(.int64), linksTo: "Firm")
          }
          Type("Patient", key: "id") {
            Field("id", .int64)
            Field("home", .optional(.int64))
          }
          Type("Place", key: "id") { Field("id", .int64) }
          Type("Firm", key: "id") {
            Field("id", .int64)
            Field("boss", .optional(.int64), linksTo: "Person")
          }
        }, versions: [Version(number: 1, changes: changes())])
    }
    let patient = Move("Person", to: "Patient", where: .constant(true))
    #expect(history { patient }.issues.map(\.member) == ["Firm.boss"])
    let led = history {
      patient
      Retarget("Firm", "boss", to: "Patient") { $0 }
    }
    #expect(led.issues == [])
    let other = history {
      Move("Person", to: "Customer", where: .constant(true))
      On("Firm") { Remove("boss") }
    }
    #expect(other.issues.map(\.member) == ["Customer.home"])
  }

  @Test("To older apps both types are refused, and others are not")
  func compatibility() throws {
    let history = Self.moving()
    #expect(try history.check(.backward, since: 1) == [])
    #expect(try history.check(.forward, since: 1).map(\.code) == [.barrierPresent])
    for type in try history.shape(at: 3).types {
      #expect(history.forwardGrade(of: type.identity, since: 1) == .refused)
    }
  }
}
