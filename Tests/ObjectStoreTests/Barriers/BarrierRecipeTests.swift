import FileIO
import ObjectStore
import StorageTestSupport
import Testing

/// The recipes of `Documentation/Migrations.md`, as they stand there.
@Suite("What no operation does is code in a barrier")
struct BarrierRecipeTests {
  static let base = Base(0) {
    Type("Order", key: "id") {
      Field("id", .int64)
      Field("customer", .string)
      Field("lines", .list(.string))
    }
    Type("Person", key: "id") {
      Field("id", .int64)
      Field("email", .string)
      Field("visits", .int64)
    }
  }

  /// An object of another type for each element; the keys tell where they come from.
  static let intoMany = SchemaHistory {
    base
    Version(1) {
      Type("Line", key: "id") {
        Field("id", .string)
        Field("order", .int64, linksTo: "Order")
        Field("text", .string)
      }
      Barrier("lines-of-orders", touching: "Order", "Line") { store in
        try store.forEach("Order") { old, new in
          guard case .int(let id) = old["id"], case .list(let lines) = old["lines"] else {
            return .keep
          }
          for (index, text) in lines.enumerated() {
            try store.create(
              "Line", ["id": .string("\(id)-\(index)"), "order": .int(id), "text": text])
          }
          return .keep  // .drop, where the object is not needed any more
        }
      }
    }
    Version(2) { On("Order") { Remove("lines") } }
  }

  /// One object of a group stays, with what the others had.
  static let intoOne = SchemaHistory {
    base
    Version(1) {
      Type("Address", key: "email") {
        Field("email", .string)
        Field("person", .int64)
      }
      Barrier("merge-people", touching: "Person", "Address") { store in
        try store.forEach("Person") { old, new in
          guard let first = try store.object("Address", key: old["email"])?["person"] else {
            try store.create("Address", ["email": old["email"], "person": old["id"]])
            return .keep
          }
          var merged = try store.object("Person", key: first) ?? [:]
          if case .int(let known)? = merged["visits"], case .int(let more) = old["visits"] {
            merged["visits"] = .int(known + more)
          }
          try store.delete("Person", key: first)
          try store.create("Person", merged)
          return .drop
        }
      }
    }
    Version(2) { RemoveType("Address") }
  }

  static func makeStore() throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    try fill(fileSystem, count: 40)
    return fileSystem
  }

  static func fill(
    _ fileSystem: some FileSystem, count: Int64, _ configuration: StoreConfiguration = .quiet
  ) throws {
    let store = try BarrierTests.open(
      fileSystem, SchemaHistory { base }, configuration: configuration)
    try store.write { transaction in
      for id in 0..<count {
        let lines = (0..<id % 4).map { Value.string("\(id) \($0)") }
        try transaction.put(
          transaction.makeObject(
            ofType: "Order", ["id": .int(id), "customer": "c", "lines": .list(lines)]))
        try transaction.put(
          transaction.makeObject(
            ofType: "Person",
            ["id": .int(id), "email": .string("p\(id % 7)@x"), "visits": .int(id)]))
      }
    }
    try store.close()
  }

  @Test("R30, R31: one object becomes many, each with a key of its own, and none twice")
  func many() throws {
    let fileSystem = try Self.makeStore()
    for _ in 0..<2 {
      let store = try BarrierTests.open(fileSystem, Self.intoMany)
      let orders = try BarrierTests.all(store, "Order")
      #expect(orders.count == 40 && orders.allSatisfy { $0["lines"] == nil })
      let lines = try BarrierTests.all(store, "Line")
      #expect(lines.count == 10 * (0 + 1 + 2 + 3))
      #expect(
        lines.allSatisfy { line in
          guard case .string(let key) = line.key, case .int(let order)? = line["order"] else {
            return false
          }
          return line["text"] == .string(key.split(separator: "-").joined(separator: " "))
            && key.hasPrefix("\(order)-")
        })
      _ = try store.compact()
      #expect(try BarrierTests.all(store, "Line") == lines)
      try store.close()
    }
  }

  @Test("R30, R31: many objects become one, with what all of them had")
  func one() throws {
    let store = try BarrierTests.open(try Self.makeStore(), Self.intoOne)
    let people = try BarrierTests.all(store)
    #expect(people.map(\.key) == (0..<7 as Range<Int64>).map { .int($0) })
    for (index, person) in people.enumerated() {
      #expect(person["visits"] == .int(stride(from: Int64(index), to: 40, by: 7).reduce(0, +)))
    }
    try store.close()
  }

  @Test("R30, R36, P1: killed at any write, one object has become many or none has")
  func killed() throws {
    let configuration = BarrierCrashTests.configuration
    let start = SimulatedFileSystem()
    try Self.fill(start, count: 12, configuration)
    let fileSystem = SimulatedFileSystem(
      files: start.snapshotOfFiles(in: "/people"), in: "/people")
    fileSystem.recordCrashPoints()
    try BarrierTests.open(fileSystem, Self.intoMany, configuration: configuration).close()
    var outcomes: Set<Bool> = []
    func check(_ fileSystem: SimulatedFileSystem) throws {
      var readOnly = StoreConfiguration.readOnly
      readOnly.log.readMode = .buffered
      let stored = try Store.open(at: "/people", configuration: readOnly, fileSystem: fileSystem)
      let isDone = stored.schemaVersion > 0
      outcomes.insert(isDone)
      let counts = try (
        BarrierTests.all(stored, "Order").count,
        isDone ? BarrierTests.all(stored, "Line").count : 18
      )
      try stored.close()
      guard counts == (12, 18) else { throw CaseFailure("\(counts) objects, done: \(isDone)") }
      let store = try BarrierTests.open(fileSystem, Self.intoMany, configuration: configuration)
      let count = try BarrierTests.all(store, "Line").count
      try store.close()
      guard count == 18 else { throw CaseFailure("\(count) lines when it ran again") }
    }
    var failures: [String] = []
    for point in fileSystem.crashPoints {
      for choice in point.choices(exhaustiveUnitCount: 2, randomCount: 1) {
        do { try check(point.afterCrash(choice)) } catch { failures.append("\(point): \(error)") }
      }
    }
    #expect(failures == [])
    #expect(outcomes == [false, true])
  }
}
