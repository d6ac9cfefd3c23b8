import FileIO
import LogStore
import ObjectStore
import StorageTestSupport
import Testing

/// Moves to another type that are killed, and moves in random stores.
@Suite struct MoveCrashTests {
  @Test("R30, R36, P1: killed, or without disk, at any operation: the old state, or all of it")
  func crashes() throws {
    let history = MoveTests.moving(.replace)
    let original = SimulatedFileSystem()
    try MoveTests.makeStore(original, customers: [1, 3, 27])
    let files = original.snapshotOfFiles(in: "/people")
    let fileSystem = SimulatedFileSystem(files: files, in: "/people")
    fileSystem.recordCrashPoints()
    let done = try MoveTests.open(fileSystem, history)
    let expected = try RelationTests.all(done)
    try done.close()
    var outcomes: Set<SchemaVersion> = []
    func check(_ fileSystem: SimulatedFileSystem) throws {
      let stored = try Store.open(
        at: "/people", configuration: BarrierCrashTests.configuration, fileSystem: fileSystem)
      outcomes.insert(stored.schemaVersion)
      let isOld = stored.schemaVersion == 0
      try stored.close()
      if isOld {
        let old = try MoveTests.open(fileSystem, MoveTests.original)
        let people = try MoveTests.keys(old, "Person")
        let customers = try MoveTests.keys(old, "Customer")
        guard people.count == 30, customers == [1, 3, 27] else {
          throw CaseFailure("a part of it happened")
        }
        try old.close()
      }
      let new = try MoveTests.open(fileSystem, history)
      guard try RelationTests.all(new) == expected else { throw CaseFailure("other objects") }
      try new.close()
    }
    let failures = RelationTests.failures(fileSystem, files, check) {
      try MoveTests.open($0, history).close()
    }
    #expect(failures == [])
    #expect(outcomes == [0, 2])
  }

  @Test("R31, R33: whatever is there, and of whichever version, the same as in a model")
  func random() throws {
    var failures: [String] = []
    for seed in 0..<40 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed)
      let policy: ExistingKeys = seed % 2 == 0 ? .keepExisting : .replace
      let fileSystem = InMemoryFileSystem()
      var people: [Int64: String] = [:]
      var customers: [Int64: String] = [:]
      let history = MoveTests.moving(policy)
      // Some objects are of version 0, some of version 1; some are replaced or deleted.
      for version in 0...1 {
        let prefix = SchemaHistory(
          base: MoveTests.base, versions: Array(history.versions[..<version]))
        let store = try MoveTests.open(fileSystem, prefix)
        for _ in 0..<40 {
          let id = Int64.random(in: 0..<30, using: &generator)
          let text = "\(UInt64.random(in: 0..<1000, using: &generator))"
          try store.write { transaction in
            switch Int.random(in: 0..<4, using: &generator) {
            case 0:
              try transaction.delete(ofType: "Person", key: .int(id))
              people[id] = nil
            case 1:
              try transaction.put(
                transaction.makeObject(
                  ofType: "Customer",
                  ["number": .int(id), "name": .string(text), "nick": "", "since": 1]))
              customers[id] = text
            default:
              var members = MoveTests.person(id)
              members["name"] = .string(text)
              if version == 1 { members["city"] = "Bonn" }
              try transaction.put(transaction.makeObject(ofType: "Person", members))
              people[id] = text
            }
          }
        }
        try store.close()
      }
      for (id, name) in people where id % 3 == 0 {
        people[id] = nil
        if customers[id] == nil || policy == .replace { customers[id] = name }
      }
      let store = try MoveTests.open(fileSystem, history)
      func found(_ type: String, _ member: String) throws -> [Int64: String] {
        var found: [Int64: String] = [:]
        for object in try BarrierTests.all(store, type) {
          guard case .int(let key) = object.key, case .string(let name)? = object[member] else {
            continue
          }
          found[key] = name
        }
        return found
      }
      if try found("Person", "name") != people { failures.append("seed \(seed): people") }
      if try found("Customer", "title") != customers { failures.append("seed \(seed): customers") }
      try store.close()
    }
    #expect(failures == [])
  }
}
