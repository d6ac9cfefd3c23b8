import FileIO
import ObjectStore
import Testing

/// Barriers over objects that a step before them cannot upgrade.
@Suite struct BarrierUpgradeTests {
  struct BadPrice: Error {}

  static let base = Base(0) {
    Type("Product", key: "id") {
      Field("id", .string)
      Field("price", .string)
    }
  }

  static func converting(revision: UInt32 = 1, otherwise: Int64? = nil) -> Version {
    Version(1) {
      On("Product") {
        Convert("price", to: .int64, revision: revision) { (price: String) throws -> Int64 in
          if let number = Int64(price) { return number }
          guard let otherwise else { throw BadPrice() }
          return otherwise
        }
      }
    }
  }

  static func makeStore() throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    let store = try Store.open(
      at: "/s", history: SchemaHistory(base: base), configuration: .quiet, fileSystem: fileSystem)
    try store.write { transaction in
      for (id, price) in [("s1", "oops"), ("s2", "12"), ("s3", "none")] as [(Value, Value)] {
        try transaction.put(transaction.makeObject(ofType: "Product", ["id": id, "price": price]))
      }
    }
    try store.close()
    return fileSystem
  }

  static func open(
    _ fileSystem: InMemoryFileSystem, _ versions: Version...,
    policy: FailurePolicy? = nil
  ) throws -> Store {
    var configuration = StoreConfiguration.quiet
    if let policy { configuration.failurePolicies = ["Product": policy] }
    return try Store.open(
      at: "/s", history: SchemaHistory(base: base, versions: versions),
      configuration: configuration, fileSystem: fileSystem)
  }

  static let barriers: [Version] = [
    Version(2) { Barrier("prices", touching: "Product") { _ in } },
    Version(2) { Rekey("Product", to: "price", onDuplicate: .keepLast) },
    Version(2) {
      Type("Free", key: "id") {
        Field("id", .string)
        Field("price", .int64)
      }
      Move("Product", to: "Free", where: .member("price").isEqual(to: 0))
    },
  ]

  @Test(
    "R19, R36: objects that a step cannot upgrade keep a barrier from running; all are named",
    arguments: 0..<3)
  func named(barrier: Int) throws {
    let fileSystem = try Self.makeStore()
    let id = barrier == 0 ? "v2/barrier:prices" : "v2/Product/1"
    let error = try #require(throws: StoreError.self) {
      try Self.open(fileSystem, Self.converting(), Self.barriers[barrier])
    }
    #expect(
      error.description
        == "\(id) needs every object in its new shape, and 2 objects cannot be upgraded:\n"
        + "  Product s1 of version 0: step v1/Product/1 failed: BadPrice()\n"
        + "  Product s3 of version 0: step v1/Product/1 failed: BadPrice()\n"
        + "Nothing was changed, and the version before still opens the store. Correct the step and "
        + "raise its revision; no failure policy takes part here, as what it gives would be stored "
        + "for good. Store.validate() of the version before finds such objects.")
    let store = try Self.open(fileSystem, Self.converting())
    #expect(try store.snapshot().object(ofType: "Product", key: "s2")?["price"] == 12)
    try store.close()
  }

  @Test("R19: no policy makes a barrier store what stands in for a failed upgrade, or lose objects")
  func policies() throws {
    let standIn = FailurePolicy.fallback { _ in ["price": 0] }
    for policy in [FailurePolicy.skipped, standIn] {
      let fileSystem = try Self.makeStore()
      for barrier in Self.barriers {
        #expect(throws: StoreError.self) {
          try Self.open(fileSystem, Self.converting(), barrier, policy: policy)
        }
      }
    }
  }

  @Test("R19: a step that was mended, with a raised revision, lets the barrier run")
  func mended() throws {
    let fileSystem = try Self.makeStore()
    let store = try Self.open(
      fileSystem, Self.converting(revision: 2, otherwise: 0), Self.barriers[0])
    #expect(try store.snapshot().object(ofType: "Product", key: "s1")?["price"] == 0)
    try store.close()
  }
}
