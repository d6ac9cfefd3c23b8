import FileIO
import ObjectStore
import SchemaRegistry
import Synchronization
import Testing

/// What is told while barriers run, and of barriers that cannot.
@Suite struct BarrierProgressTests {
  static let base = Base(0) { Type("Supplier", key: "id") { Field("id", .int64) } }

  static func makeStore() throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    let store = try Store.open(
      at: "/s", history: SchemaHistory(base: base), configuration: .quiet, fileSystem: fileSystem)
    try store.write { transaction in
      for id in 0..<2000 {
        try transaction.put(
          transaction.makeObject(ofType: "Supplier", ["id": .int(Int64(id))]))
      }
    }
    try store.close()
    return fileSystem
  }

  @Test("R30: progress grows up to what was estimated, also where barriers share types")
  func progress() throws {
    let counts = Mutex<[UInt64]>([])
    let total = Mutex<UInt64>(0)
    var configuration = StoreConfiguration.quiet
    configuration.barriers.progress = { progress in
      counts.withLock { $0.append(progress.recordCount) }
      total.withLock { $0 = progress.estimate.recordCount }
      return true
    }
    let history = SchemaHistory {
      Self.base
      Version(1) { Barrier("first", touching: "Supplier") { _ in } }
      Version(2) { Barrier("second", touching: "Supplier") { _ in } }
    }
    try Store.open(
      at: "/s", history: history, configuration: configuration, fileSystem: try Self.makeStore()
    ).close()
    let told = counts.withLock { $0 }
    #expect(told == told.sorted())
    #expect(total.withLock { $0 } == 2000)
    #expect((1900...2000).contains(told.last ?? 0), "\(told)")
  }

  @Test("R30: a barrier whose code is not at hand is named with the type as it is called by then")
  func currentName() throws {
    let history = SchemaHistory(
      base: Self.base,
      versions: [
        Version(1) { RenameType("Supplier", to: "Vendor") },
        Version(
          number: 2,
          changes: [.barrier(.code(name: "codes", types: ["Vendor"], revision: 1, run: nil))]),
      ])
    let fileSystem = try Self.makeStore()
    #expect(
      throws: StoreError.schema(
        .needsApplicationCode(type: "Vendor", operationIDs: ["v2/barrier:codes"]))
    ) {
      try Store.open(
        at: "/s", history: history, configuration: .quiet, fileSystem: fileSystem)
    }
  }
}
