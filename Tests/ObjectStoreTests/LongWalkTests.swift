import FileIO
import Foundation
import Testing

@testable import ObjectStore

/// Walks so long that another thread reads their records ahead.
@Suite struct LongWalkTests {
  struct Reading: StorableObject, Equatable {
    static let primaryKey = "id"
    var id = 0
    var label = ""
    var note: String?
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("label", &label)
      try visitor.member("note", &note)
    }
  }

  struct Refused: Error {}

  static let base = Base(0) {
    Type("Reading", key: "id") {
      Field("id", .int64)
      Field("value", .int64)
      Field("note", .optional(.string))
    }
  }

  /// The step refuses every 500th object, and tells which threads run it.
  static func history(_ threads: Lock<Set<ObjectIdentifier>>) -> SchemaHistory {
    SchemaHistory {
      base
      Version(1) {
        On("Reading") {
          Derive("label", from: "value") { (value: Int) throws -> String in
            threads.withLock { threads in _ = threads.insert(ObjectIdentifier(Thread.current)) }
            if value.isMultiple(of: 500) { throw Refused() }
            return String(repeating: "label \(value) ", count: value % 4)
          }
          Remove("value")
        }
      }
    }
  }

  static func open(
    _ fileSystem: InMemoryFileSystem, _ maintenance: LogConfiguration.Maintenance,
    _ history: SchemaHistory, models: [any StorableObject.Type] = [Reading.self]
  ) throws -> Store {
    var configuration = StoreConfiguration.quiet
    configuration.log.maintenance = maintenance
    configuration.log.durability = .process
    configuration.failurePolicies["Reading"] = .skipped
    return try Store.open(
      at: "/store", models: models, history: history, configuration: configuration,
      fileSystem: fileSystem)
  }

  /// 8000 old objects, every third of which is replaced by a current one.
  static func makeStore(_ history: SchemaHistory) throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    var store = try open(fileSystem, .inline, SchemaHistory { base }, models: [])
    try store.write { transaction in
      for id in 0..<8000 {
        try transaction.put(
          try transaction.makeObject(
            ofType: "Reading",
            ["id": .int(Int64(id)), "value": .int(Int64(id)), "note": .string("note \(id)")]))
      }
    }
    try store.close()
    store = try open(fileSystem, .inline, history)
    try store.write { transaction in
      for id in stride(from: 1, to: 8000, by: 3) {
        let note: String? = id.isMultiple(of: 2) ? nil : "a note of some length"
        try transaction.put(Reading(id: id, label: "current \(id)", note: note))
      }
    }
    try store.close()
    return fileSystem
  }

  @Test(
    "R19, R21: walks find the same whoever reads ahead, and steps run where the walk is",
    arguments: KeyOrder.allCases)
  func findsTheSame(order: KeyOrder) throws {
    let threads = Lock<Set<ObjectIdentifier>>([])
    let history = Self.history(threads)
    let fileSystem = try Self.makeStore(history)
    var walks: [[Reading]] = []
    for maintenance in [LogConfiguration.Maintenance.inline, .background] {
      let store = try Self.open(fileSystem, maintenance, history)
      threads.withLock { threads in threads.removeAll() }
      let typed = try store.snapshot().objects(Reading.self, order: order)
      var aheads: [Bool] = []
      var found: [Reading] = []
      while let next = try typed.next() {
        found.append(next)
        if found.count == 6000 { aheads.append(typed.records.isReadAhead) }
      }
      let dynamic = try store.snapshot().objects(ofType: "Reading", order: order)
      var count = 0
      while let next = try dynamic.next() {
        let isSame = next["label"] == .string(found[count].label)
        if !isSame { Issue.record("object \(found[count].id)") }
        count += 1
        if count == 6000 { aheads.append(dynamic.records.isReadAhead) }
      }
      let isHelped = maintenance == .background && Processors.count > 1
      #expect(aheads == [isHelped, isHelped])
      let skipped = [typed.skippedCount, dynamic.skippedCount]
      #expect(count == found.count && skipped == [11, 11])
      let here: Set = [ObjectIdentifier(Thread.current)]
      #expect(threads.withLock { threads in threads } == here)
      walks.append(found)
      try store.close()
    }
    #expect(walks[0].count == 7989 && walks[0] == walks[1])
  }
}
