import FileIO
import LogStoreTesting
import ObjectStore
import StorageTestSupport
import Testing

/// What apps test their histories with.
@Suite struct MigrationFixtureTests {
  static let base = Base(0) {
    Type("Person", key: "id") {
      Field("id", .int64)
      Field("first", .string)
      Field("last", .optional(.string))
    }
  }

  static func history(_ label: @escaping @Sendable (String) -> String) -> SchemaHistory {
    SchemaHistory {
      base
      Version(1) { On("Person") { Add("age", .int32, default: 18) } }
      Version(2) { On("Person") { Rename("first", to: "name") } }
      Version(3) {
        On("Person") {
          Derive("label", from: "name") { (name: String) in label(name) }
          Widen("age", to: .double)
        }
      }
    }
  }

  @Test("Objects of several old versions, as values or JSON, are compared after the upgrade")
  func fixture() throws {
    let fixture = MigrationFixture(Self.history { $0.uppercased() })
    try fixture.write("Person", version: 0, json: #"{"id": 1, "first": "Ada"}"#)
    try fixture.write("Person", version: 2, [["id": 2, "name": "Bob", "age": 30]])
    #expect(
      try fixture.differences(
        "Person", key: 1, from: ["name": "Ada", "label": "ADA", "age": 18.0, "last": .null]) == [])
    #expect(
      try fixture.differences("Person", key: 2, from: ["age": 31.0, "none": 1]).count == 2)
    #expect(
      try fixture.differences("Person", key: 3, from: [:]) == ["Person int(3) does not exist"])
    #expect(throws: SchemaError.self) {
      try fixture.write("Person", version: 0, json: #"{"id": 1, "none": 2}"#)
    }
    #expect(throws: SchemaError.self) {
      try fixture.write("Ghost", version: 0, json: #"{"id": 1}"#)
    }
    let store = try fixture.openLatest()
    #expect(try store.statistics().types.map(\.version) == [0, 2])
    try store.close()
  }

  @Test("Members differ as they are stored: by the bytes of texts, and not by what nil leaves out")
  func canonicalDifferences() throws {
    let place = FieldType.object([
      MemberShape("city", .optional(.string)), MemberShape("n", .double),
    ])
    let fixture = MigrationFixture(
      SchemaHistory {
        Base(0) {
          Type("Person", key: "id") {
            Field("id", .string)
            Field("name", .string)
            Field("tags", .dictionary(.int64))
            Field("home", place)
          }
        }
      })
    try fixture.write(
      "Person", version: 0,
      [
        [
          "id": "e\u{301}", "name": "e\u{301}", "tags": .dictionary(["a": 1, "b": 2, "c": 3]),
          "home": .object(["n": .double(-0.0)]),
        ]
      ])
    func differences(_ expected: [String: Value]) throws -> [String] {
      try fixture.differences("Person", key: "e\u{301}", from: expected)
    }
    #expect(
      try differences([
        "id": "e\u{301}", "name": "e\u{301}", "tags": .dictionary(["c": 3, "b": 2, "a": 1]),
        "home": .object(["n": .double(-0.0), "city": .null]),
      ]) == [])
    #expect(
      try differences(["name": "\u{e9}"]) == [
        "Person.name is \"e\u{301}\", not \"\u{e9}\", which looks the same and has other bytes"
      ])
    #expect(try differences(["id": "\u{e9}"]).count == 1)
    #expect(try differences(["home": .object(["n": .double(0.0)])]).count == 1)
    #expect(
      try differences(["tags": .dictionary(["b": 2, "a": 1])]) == [
        #"Person.tags is ["a": 1, "b": 2, "c": 3], not ["a": 1, "b": 2]"#
      ])
    #expect(try differences(["name": 5]) == ["Person.name is \"e\u{301}\", not 5"])
  }

  @Test("A golden store from before a barrier is checked behind it, and stays as it is")
  func goldenBeforeBarrier() throws {
    func history(isRekeyed: Bool) -> SchemaHistory {
      SchemaHistory {
        Self.base
        if isRekeyed { Version(1) { Rekey("Person", to: "first") } }
      }
    }
    let files = SimulatedFileSystem()
    let store = try Store.open(
      at: "/golden", history: history(isRekeyed: false), fileSystem: files)
    try store.write { transaction in
      for id in 1...3 as ClosedRange<Int64> {
        try transaction.put(
          transaction.makeObject(
            ofType: "Person", ["id": .int(id), "first": .string("name \(id)")]))
      }
    }
    try store.close()
    let before = files.snapshotOfFiles(in: "/golden")
    let golden = GoldenStore(at: "/golden", fileSystem: files)
    #expect(try golden.problems(under: history(isRekeyed: false)) == [])
    #expect(try golden.problems(under: history(isRekeyed: true)) == [])
    #expect(files.snapshotOfFiles(in: "/golden") == before)
  }

  @Test("A self-test passes for pure steps and names one that is not")
  func selfTest() throws {
    #expect(try Self.history { $0 }.selfTest(samplesPerType: 20).map(\.description) == [])
    let counter = Lock(0)
    let impure = Self.history { name in
      counter.withLock { count in
        count += 1
        return "\(name) \(count)"
      }
    }
    let failures = try impure.selfTest(samplesPerType: 5)
    #expect(failures.count == 3)
    #expect(failures.allSatisfy { $0.problem.contains("v3/Person/1") })
  }

  @Test("The self test finds ways back that give nothing for what upgrades make")
  func waysBack() throws {
    func history(_ inverse: ValueExpression) -> SchemaHistory {
      SchemaHistory {
        Self.base
        Version(1) {
          On("Person") {
            Convert("first", to: .int64, inverse: inverse) { (text: String) in text.utf8.count }
          }
        }
      }
    }
    let good = history(.toString(.member("first")))
    #expect(try good.selfTest(samplesPerType: 20).map(\.description) == [])
    let bad = history(.textBefore(.toString(.member("first")), separator: "-"))
    let failures = try bad.selfTest(samplesPerType: 20)
    #expect(failures.count == 1)
    #expect(failures.first?.problem.contains("cannot be read back") == true)
  }

  @Test("The self test makes records with declared cases, and reads back those that came later")
  func cases() throws {
    func history(_ base: Base) -> SchemaHistory {
      SchemaHistory(
        base: base,
        versions: [
          Version(1) { On("Order") { AddCases("status", ["refunded"], readAs: "paid") } },
          Version(2) { On("Order") { RenameCase("status", "void", to: "paid") } },
          Version(3) {
            On("Order") {
              MapCases(
                "status", of: ["new", "paid", "refunded"],
                ["new": "n", "paid": "p", "refunded": "r"])
            }
          },
        ])
    }
    let declared = Base(0) {
      Type("Order", key: "id") {
        Field("id", .int64)
        Field("status", .string, cases: ["new", "paid", "void"])
        Field("others", .list(.string), cases: ["new"])
      }
    }
    let whole = history(declared)
    #expect(whole.issues == [])
    #expect(try whole.selfTest(samplesPerType: 50).map(\.description) == [])
    let without = SchemaHistory(base: declared, versions: Array(whole.versions.prefix(2)))
    #expect(try without.selfTest(samplesPerType: 50).map(\.description) == [])
    let none = SchemaHistory {
      Base(0) {
        Type("Order", key: "id") {
          Field("id", .int64)
          Field("level", .optional(.int32), cases: [1])
        }
      }
      Version(1) { On("Order") { RenameCase("level", 1, to: .null) } }
    }
    #expect(try none.selfTest(samplesPerType: 50).map(\.description) == [])
    // What reads back some cases only is found with those that the newest version declares.
    let partial = SchemaHistory {
      Base(0) {
        Type("Order", key: "id") {
          Field("id", .int64)
          Field("level", .int32, cases: [1, 2])
        }
      }
      Version(1) {
        On("Order") {
          Convert(
            "level", to: .string, cases: ["low", "high"],
            inverse: .mapped(
              .member("level"), [CaseMapping(from: "low", to: 1)], otherwise: nil)
          ) { (_: Int) in "low" }
        }
      }
    }
    #expect(partial.issues == [])
    #expect(try partial.selfTest(samplesPerType: 50).count == 1)
  }

  @Test("The self test reads back nil where only the newest version may have it")
  func nils() throws {
    func history(_ inverse: ValueExpression) -> SchemaHistory {
      SchemaHistory {
        Self.base
        Version(1) { On("Person") { MakeOptional("first", readAs: "none") } }
        Version(2) {
          On("Person") {
            Convert("first", to: .optional(.string), .member("first"), inverse: inverse)
          }
        }
      }
    }
    let whole = history(.member("first"))
    #expect(whole.issues == [])
    #expect(try whole.selfTest(samplesPerType: 50).map(\.description) == [])
    // Nil is none of its cases.
    let partial = history(
      .mapped(
        .isNil(.member("first")), [CaseMapping(from: false, to: "some")], otherwise: nil))
    #expect(partial.issues == [])
    #expect(try partial.selfTest(samplesPerType: 50).map(\.from) == [0, 1])
    // No operation runs on objects here, and what is left out of `readAs` is nil.
    let home = FieldType.object([
      MemberShape("city", .string), MemberShape("zip", .optional(.int32)),
    ])
    let loosened = SchemaHistory {
      Base(0) {
        Type("Person", key: "id") {
          Field("id", .int64)
          Field("home", home)
        }
      }
      Version(1) { On("Person") { MakeOptional("home", readAs: .object(["city": "none"])) } }
    }
    #expect(try loosened.selfTest(samplesPerType: 50).map(\.description) == [])
  }

  @Test("A golden store is read, not written; what no longer reads is listed")
  func goldenStores() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/golden"
    let fixture = MigrationFixture(
      Self.history { $0 }, path: path, fileSystem: POSIXFileSystem())
    try fixture.write("Person", version: 1, [["id": 1, "first": "Ada", "age": 1]])
    let golden = GoldenStore(at: path)
    #expect(try golden.problems(under: Self.history { $0 }) == [])
    let failing = SchemaHistory {
      Self.base
      Version(1) { On("Person") { Add("age", .int32, default: 18) } }
      Version(2) { On("Person") { Convert("first", to: .int64, .member("first").parseInteger) } }
    }
    let problems = try golden.problems(under: failing)
    #expect(problems.count == 1)
    #expect(problems.first?.contains("v2/Person/1") == true)
    let edited = SchemaHistory {
      Self.base
      Version(1) { On("Person") { Add("age", .int32, default: 19) } }
    }
    #expect(throws: StoreError.self) { try golden.problems(under: edited) }
  }
}
