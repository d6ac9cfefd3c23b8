import FileIO
import Foundation
import LogStore
import ObjectStore
import StorageTestSupport
import Testing

/// Barriers on links and embedded objects.
@Suite("Links and embedded objects change in barriers")
struct RelationTests {
  static let base = Base(0) {
    Type("Person", key: "id") {
      Field("id", .int64)
      Field("home", .optional(.int64))
      Field("pets", .list(.int64))
    }
    Type("Firm", key: "id") {
      Field("id", .string)
      Field("site", .int64)
    }
    Type("Address", key: "number") {
      Field("number", .int64)
      Field("street", .string)
    }
    Type("Animal", key: "name") { Field("name", .string) }
  }
  static let original = SchemaHistory { base }

  static func history(@ChangeBuilder _ changes: () -> [SchemaChange]) -> SchemaHistory {
    SchemaHistory(
      base: base,
      versions: [
        Version(1) { On("Address") { Add("city", .string, default: "Rome") } },
        Version(number: 2, changes: changes()),
        Version(3) { On("Firm") { Add("size", .int64, default: 1) } },
      ])
  }

  static func embedding(_ policy: EmbeddingPolicy) -> SchemaHistory {
    history {
      Embed(
        "Address", into: MemberPlace("Person", "home"), MemberPlace("Firm", "site"),
        policy: policy)
    }
  }

  /// Person 1 and the firm share an address when asked; a third one may belong to nobody.
  static func makeStore(
    sharing: Bool = false, orphan: Bool = false, dangling: Bool = false,
    _ fileSystem: some FileSystem
  ) throws {
    let store = try open(fileSystem, original)
    try store.write { transaction in
      for (id, home) in [(1, 10), (2, nil), (3, dangling ? 99 : nil)] as [(Int64, Int64?)] {
        try transaction.put(
          transaction.makeObject(
            ofType: "Person",
            [
              "id": .int(id), "home": home.map { .int($0) } ?? .null,
              "pets": .list([.int(id), .int(5), .int(id)]),
            ]))
      }
      try transaction.put(
        transaction.makeObject(
          ofType: "Firm", ["id": "f", "site": .int(sharing ? 10 : 11)]))
      for number in [10, 11, 12] as [Int64] {
        guard number == 10 || (number == 11 && !sharing) || (number == 12 && orphan) else {
          continue
        }
        try transaction.put(
          transaction.makeObject(
            ofType: "Address", ["number": .int(number), "street": .string("S\(number)")]))
      }
    }
    try store.close()
  }

  static func open(_ fileSystem: some FileSystem, _ history: SchemaHistory) throws -> Store {
    try Store.open(
      at: "/people", history: history, configuration: BarrierCrashTests.configuration,
      fileSystem: fileSystem)
  }

  static func object(_ store: Store, _ type: String, _ key: Value) throws -> [String: Value] {
    try #require(try store.snapshot().object(ofType: type, key: key)).members
  }

  static func address(_ number: Int) -> Value {
    .object(["street": .string("S\(number)"), "city": "Rome"])
  }

  @Test("R34: without code a single link is nil, and a list of links is empty")
  func linksAreDropped() throws {
    let fileSystem = InMemoryFileSystem()
    try Self.makeStore(fileSystem)
    let store = try Self.open(
      fileSystem,
      Self.history {
        Retarget("Person", "pets", to: "Animal")
        Retarget("Firm", "site", to: "Animal")
      })
    #expect(store.schema.type(named: "Firm")?.members[1].type == .optional(.string))
    #expect(try Self.object(store, "Firm", "f")["site"] == .null)
    #expect(try Self.object(store, "Person", 1)["pets"] == .list([]))
    #expect(try Self.object(store, "Person", 1)["home"] == 10)
    #expect(try store.statistics().oldestVersion == 0)
    try store.close()
  }

  @Test("R34: a closure maps each link, and the order of a list stays")
  func linksAreMapped() throws {
    let fileSystem = InMemoryFileSystem()
    try Self.makeStore(fileSystem)
    let history = Self.history {
      Retarget("Person", "pets", to: "Animal") { key in
        key == 5 ? nil : .string("pet \(key)")
      }
      Retarget("Firm", "site", to: "Person") { _ in 2 }
    }
    for _ in 0..<2 {
      let store = try Self.open(fileSystem, history)
      let pets = try Self.object(store, "Person", 3)["pets"]
      guard case .list(let names)? = pets else {
        Issue.record("\(String(describing: pets))")
        return
      }
      #expect(names.count == 2 && names[0] == names[1])
      #expect(store.schema.type(named: "Person")?.members[2].type == .list(.string))
      #expect(try Self.object(store, "Firm", "f")["site"] == 2)
      try store.close()
    }
    // What cannot be a required link names the object, and changes nothing.
    let again = InMemoryFileSystem()
    try Self.makeStore(again)
    do {
      _ = try Self.open(again, Self.history { Retarget("Firm", "site", to: "Person") { _ in nil } })
      Issue.record("a required link became nil")
    } catch StoreError.schema(.barrierFailed(let id, let reason)) {
      #expect(id == "v2/Firm/1")
      #expect(reason == "1 object: Firm f has no value for site, which is int64")
    }
    try Self.open(again, Self.original).close()
  }

  @Test("R35: each object becomes a part of the one that links to it, and its type is gone")
  func embeds() throws {
    let fileSystem = InMemoryFileSystem()
    try Self.makeStore(dangling: true, fileSystem)
    for _ in 0..<2 {
      let store = try Self.open(fileSystem, Self.embedding(.fail))
      #expect(try Self.object(store, "Person", 1)["home"] == Self.address(10))
      #expect(try Self.object(store, "Person", 2)["home"] == .null)
      #expect(try Self.object(store, "Person", 3)["home"] == .null)
      #expect(
        try Self.object(store, "Firm", "f")
          == ["id": "f", "site": Self.address(11), "size": 1])
      #expect(store.schema.type(named: "Address") == nil)
      #expect(try store.statistics().objectCount == 4)
      _ = try store.compact()
      try store.close()
    }
  }

  @Test("R35, R36: shared objects and orphans are named and nothing changes, unless allowed")
  func policies() throws {
    for (sharing, orphan, policy, problems) in [
      (true, true, .fail, 2), (true, false, .fail, 1), (false, true, .fail, 1),
      (true, true, .duplicateShared, 1), (true, true, .deleteOrphans, 1),
      (true, true, [.duplicateShared, .deleteOrphans], 0), (false, true, .deleteOrphans, 0),
      (true, false, .duplicateShared, 0),
    ] as [(Bool, Bool, EmbeddingPolicy, Int)] {
      let fileSystem = InMemoryFileSystem()
      try Self.makeStore(sharing: sharing, orphan: orphan, fileSystem)
      do {
        let store = try Self.open(fileSystem, Self.embedding(policy))
        #expect(problems == 0, "\(sharing) \(orphan) \(policy)")
        #expect(
          try Self.object(store, "Firm", "f")["site"] == Self.address(sharing ? 10 : 11))
        #expect(try Self.object(store, "Person", 1)["home"] == Self.address(10))
        #expect(try store.statistics().objectCount == 4)
        try store.close()
      } catch StoreError.schema(.barrierFailed(_, let reason)) {
        #expect(reason.hasPrefix("\(problems) object"), "\(policy): \(reason)")
        if !policy.contains(.duplicateShared), sharing {
          #expect(reason.contains("Address 10 has several links to it"))
        }
        if !policy.contains(.deleteOrphans), orphan {
          #expect(reason.contains("Address 12 has no link to it"))
        }
        let store = try Self.open(fileSystem, Self.original)
        #expect(try Self.object(store, "Person", 1)["home"] == 10)
        try store.close()
      }
    }
  }

  @Test("R35: embedded objects become objects with fresh keys, and those around them link to them")
  func extracts() throws {
    let base = Base(0) {
      Type("Person", key: "id") {
        Field("id", .int64)
        Field("home", .optional(Self.addressType))
        Field("past", .list(Self.addressType))
      }
    }
    let fileSystem = InMemoryFileSystem()
    var store = try Self.open(fileSystem, SchemaHistory { base })
    try store.write { transaction in
      for id in [1, 2] as [Int64] {
        try transaction.put(
          transaction.makeObject(
            ofType: "Person",
            [
              "id": .int(id), "home": id == 1 ? .null : .object(["street": "h"]),
              "past": .list(["b", "a", "b"].map { .object(["street": $0]) }),
            ]))
      }
    }
    try store.close()
    let history = SchemaHistory {
      base
      Version(1) {
        ExtractType(
          "Address", key: "id", from: MemberPlace("Person", "home"), MemberPlace("Person", "past"))
      }
    }
    store = try Self.open(fileSystem, history)
    #expect(try BarrierTests.all(store, "Address").count == 7)
    #expect(Set(try BarrierTests.all(store, "Address").map(\.key)).count == 7)
    for id in [1, 2] as [Int64] {
      guard case .list(let links)? = try Self.object(store, "Person", .int(id))["past"] else {
        Issue.record("no links")
        return
      }
      let streets = try links.map { try Self.object(store, "Address", $0)["street"] }
      #expect(streets == ["b", "a", "b"])
    }
    #expect(try Self.object(store, "Person", 1)["home"] == .null)
    let home = try #require(try Self.object(store, "Person", 2)["home"])
    #expect(try Self.object(store, "Address", home)["street"] == "h")
    try store.close()
  }

  static let addressType = FieldType.object([MemberShape("street", .string)])

  static let histories = [
    history { Retarget("Person", "pets", to: "Animal") { .string("\($0)") } },
    embedding([.duplicateShared, .deleteOrphans]),
    SchemaHistory(
      base: base,
      versions: [
        Version(1) { On("Address") { Add("city", .string, default: "Rome") } },
        Version(2) {
          Embed(
            "Address", into: MemberPlace("Person", "home"), MemberPlace("Firm", "site"),
            policy: [.duplicateShared, .deleteOrphans])
        },
        Version(3) {
          ExtractType(
            "Place", key: "id", from: MemberPlace("Person", "home"), MemberPlace("Firm", "site"))
        },
      ]),
    history { Rekey("Firm", to: "site") },
    history {
      Barrier("one-into-many", touching: "Firm", "Person") { store in
        try store.forEach("Firm") { firm, _ in
          for id in 50..<55 as Range<Int64> {
            try store.create(
              "Person", ["id": .int(id), "home": firm["site"], "pets": .list([])])
          }
          return .drop
        }
      }
    },
  ]

  @Test(
    "R30, R36, P1: killed, or without disk, at any write: the old state, or all of it",
    arguments: 0..<5)
  func crashes(_ number: Int) throws {
    let history = Self.histories[number]
    let original = SimulatedFileSystem()
    try Self.makeStore(sharing: true, orphan: true, original)
    let files = original.snapshotOfFiles(in: "/people")
    let fileSystem = SimulatedFileSystem(files: files, in: "/people")
    fileSystem.recordCrashPoints()
    let done = try Self.open(fileSystem, history)
    let expected = try Self.all(done)
    try done.close()
    func check(_ fileSystem: SimulatedFileSystem) throws {
      let stored = try Store.open(
        at: "/people", configuration: BarrierCrashTests.configuration, fileSystem: fileSystem)
      let version = stored.schemaVersion
      try stored.close()
      if version == 0 {
        let old = try Self.open(fileSystem, Self.original)
        guard try Self.object(old, "Person", 1)["home"] == 10 else { throw CaseFailure("old") }
        try old.close()
      }
      let new = try Self.open(fileSystem, history)
      guard try Self.all(new) == expected else { throw CaseFailure("other objects") }
      try new.close()
    }
    let failures = Self.failures(fileSystem, files, check) { try Self.open($0, history).close() }
    #expect(failures == [])
  }

  /// What `check` throws after each crash of `fileSystem`, and after `open` without disk from each
  /// of its operations on, in a store that begins with `files`.
  static func failures(
    _ fileSystem: SimulatedFileSystem, _ files: [String: [UInt8]],
    _ check: (SimulatedFileSystem) throws -> Void, open: (SimulatedFileSystem) throws -> Void
  ) -> [String] {
    var failures: [String] = []
    for point in fileSystem.crashPoints {
      for choice in point.choices(exhaustiveUnitCount: 3, randomCount: 1) {
        do { try check(point.afterCrash(choice)) } catch { failures.append("\(point): \(error)") }
      }
    }
    let untouched = SimulatedFileSystem(files: files, in: "/people")
    do { try open(untouched) } catch { failures.append("\(error)") }
    for operation in 1...untouched.operationCount {
      let full = SimulatedFileSystem(files: files, in: "/people")
      full.setFaults([FaultPlan(operation: operation, .fail(.noSpace), isPermanent: true)])
      do { try open(full) } catch {}
      if full.firedFaultCount == 0 { failures.append("\(operation): nothing failed") }
      do { try check(full.pristineCopy()) } catch { failures.append("\(operation): \(error)") }
    }
    return failures
  }

  static func all(_ store: Store) throws -> [[String: Value]] {
    try store.schema.types.sorted { $0.name < $1.name }
      .flatMap { try BarrierTests.all(store, $0.name).map(\.members) }
  }

  @Test("R34, R35: what cannot be is found before any object is read")
  func issues() {
    func issues(@ChangeBuilder _ changes: () -> [SchemaChange]) -> [String] {
      SchemaHistory(base: Self.base, versions: [Version(number: 1, changes: changes())])
        .issues.map { "\($0.operationID) \($0.member ?? "")" }
    }
    #expect(issues { Retarget("Person", "none", to: "Animal") } == ["v1/Person/1 Person.none"])
    #expect(issues { Retarget("Person", "id", to: "Animal") } == ["v1/Person/1 Person.id"])
    #expect(issues { Retarget("Person", "home", to: "Ghost") } == ["v1/Person/1 "])
    let home = MemberPlace("Person", "home")
    #expect(issues { Embed("Animal", into: home, policy: .fail) } == ["v1/Animal/1 Person.home"])
    #expect(issues { Embed("Address", into: home, home, policy: .fail) } == ["v1/Address/1 "])
    #expect(issues { Embed("Address", policy: .fail) } == ["v1/Address/1 "])
    #expect(issues { ExtractType("New", key: "id", from: home) } == ["v1/New/1 Person.home"])
    #expect(
      issues {
        On("Person") { Remove("pets") }
        Embed("Address", into: home, policy: .fail)
      } == ["v1/Address/1 "])
  }

  @Test("R28, R34, R35: declared links follow, and one that would lead nowhere is an issue")
  func declaredLinks() throws {
    let base = Base(0) {
      Type("Person", key: "id") {
        Field("id", .int64)
        Field("home", .int64, linksTo: "Address")
        Field("work", .int64, linksTo: "Address")
      }
      Type("Address", key: "number") {
        Field("number", .int64)
        Field("street", .string)
      }
      Type("Animal", key: "name") { Field("name", .string) }
    }
    func history(@ChangeBuilder _ changes: () -> [SchemaChange]) -> SchemaHistory {
      SchemaHistory(base: base, versions: [Version(number: 1, changes: changes())])
    }
    let retargeted = history { Retarget("Person", "home", to: "Animal") }
    #expect(
      try retargeted.links(at: 1).map(\.description) == [
        "Person.home links to Animal", "Person.work links to Address",
      ])
    let home = MemberPlace("Person", "home")
    let half = history { Embed("Address", into: home, policy: .duplicateShared) }
    #expect(half.issues.map(\.member) == ["Person.work"])
    let whole = history {
      Embed("Address", into: home, MemberPlace("Person", "work"), policy: .duplicateShared)
    }
    #expect(whole.issues == [])
    #expect(try whole.links(at: 1) == [])
  }

  @Test("R34, R35: files keep these barriers; a closure is described")
  func files() throws {
    let history = SchemaHistory(
      base: Self.base,
      versions: [
        Version(1) { Retarget("Person", "pets", to: "Animal", revision: 3) { _ in nil } },
        Version(2) { Retarget("Person", "pets", to: "Animal") },
        Version(3) {
          Embed(
            "Address", into: MemberPlace("Person", "home"), MemberPlace("Firm", "site"),
            policy: [.duplicateShared, .deleteOrphans])
        },
        Version(4) {
          ExtractType(
            "Place", key: "id", from: MemberPlace("Person", "home"), MemberPlace("Firm", "site"))
        },
      ])
    #expect(history.issues == [])
    let file = try JSONEncoder().encode(HistoryDocument(history))
    let read = try JSONDecoder().decode(HistoryDocument.self, from: file).history
    #expect(read.operations.map(\.parameterHash) == history.operations.map(\.parameterHash))
    #expect(read.operations.map(\.revision) == [3, 0, 0, 0])
    #expect(read.operations.map(\.needsApplicationCode) == [true, false, false, false])
    #expect(try read.fingerprint(at: 4) == history.fingerprint(at: 4))
  }
}
