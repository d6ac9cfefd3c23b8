import BinaryCoding
import FileIO
import LogStore
import ObjectStore
import StorageTestSupport
import Testing

/// Catalogs that verify and claim what no store wrote.
@Suite struct HostileCatalogTests {
  /// A store with one described type whose collections record is replaced by `collections`.
  static func makeStore(
    _ collections: [(name: String, number: UInt64)]
  ) throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    let store = try AbandonedWriteTests.open(fileSystem)
    try store.write { try AbandonedWriteTests.put($0, "Person") }
    try store.close()
    var writer = ByteWriter()
    writer.writeByte(1)
    writer.writeVariableLength(UInt64(collections.count))
    for (name, number) in collections {
      writer.writeVariableLength(0)
      writer.writeString(name)
      writer.writeVariableLength(number)
    }
    let log = try Log.open(at: "/store", fileSystem: fileSystem)
    let batch = log.makeBatch()
    try batch.put([2], in: .catalog, schemaVersion: 0, payload: writer.array())
    try log.commit(batch)
    try log.close()
    return fileSystem
  }

  @Test("P14: a catalog whose numbers are used up refuses the next type with a typed error")
  func usedUpNumbersAreAnError() throws {
    let fileSystem = try Self.makeStore([("Person", UInt64(LogLimits.collectionCount) - 3)])
    let store = try AbandonedWriteTests.open(fileSystem)
    #expect(throws: StoreError.self) {
      try store.write { try AbandonedWriteTests.put($0, "Pet") }
    }
    try store.write { try AbandonedWriteTests.put($0, "Person") }
    try store.close()
  }

  @Test("P14: what only a newer library knows says so, and is not called damage")
  func newerCatalogs() throws {
    let ledger = CollectionIdentifier(LogLimits.collectionCount - 1)
    let key: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0]
    for (collection, key, payload) in [
      (.catalog, [9], [1]), (.catalog, [1] + key, [200]), (.catalog, [2], [200]),
      (.catalog, [2, 0], [1, 0]), (.catalog, [3, 1], [1, 0]), (.catalog, [3], [200]),
      (.catalog, [4] + key, [200]), (ledger, key, [200]),
    ] as [(CollectionIdentifier, [UInt8], [UInt8])] {
      let fileSystem = try Self.makeStore([("Person", 1)])
      let log = try Log.open(at: "/store", fileSystem: fileSystem)
      try log.transact { try $0.put(key, in: collection, schemaVersion: 0, payload: payload) }
      try log.close()
      do {
        _ = try AbandonedWriteTests.open(fileSystem)
        Issue.record("\(key) was accepted")
      } catch let error as StoreError {
        guard case .newerCatalog = error else {
          Issue.record("\(key): \(error)")
          continue
        }
      }
    }
  }

  @Test("P14: a catalog that gives two types one collection, or one type two, is refused")
  func sharedNumbersAreRefused() throws {
    for collections in [
      [("Person", UInt64(1)), ("Pet", 1)], [("Person", UInt64(1)), ("Person", 2)],
      [("Person", UInt64(0))], [("Person", UInt64.max)],
      [("Person", UInt64(LogLimits.collectionCount) - 2)],
    ] {
      let fileSystem = try Self.makeStore(collections)
      do {
        _ = try AbandonedWriteTests.open(fileSystem)
        Issue.record("\(collections) was accepted")
      } catch let error as StoreError {
        guard case .malformedCatalog = error else {
          Issue.record("\(error)")
          continue
        }
      }
    }
  }

  @Test("P14: models with more members than a type may have are refused at their count")
  func membersAreCounted() throws {
    let fileSystem = try Self.makeStore([("Person", 1)])
    let count = 1_000_000
    var writer = ByteWriter()
    writer.writeByte(1)
    writer.writeVariableLength(1)
    writer.writeVariableLength(0)
    writer.writeString("Person")
    writer.writeVariableLength(UInt64(count))
    for _ in 0..<count {
      writer.writeVariableLength(0)
      writer.writeString("name")
    }
    let log = try Log.open(at: "/store", fileSystem: fileSystem)
    try log.transact {
      try $0.put(
        [4] + [UInt8](repeating: 0, count: 8), in: .catalog, schemaVersion: 0,
        payload: writer.array())
    }
    try log.close()
    do {
      _ = try AbandonedWriteTests.open(fileSystem)
      Issue.record("it was accepted")
    } catch StoreError.malformedCatalog(let reason) {
      #expect(reason.contains("the count \(count) is above its limit"), "\(reason)")
    }
  }

  @Test("P14: an index with the collection of a type, whose objects it would take, is refused")
  func indexOverType() throws {
    for (number, isRefused) in [(UInt64(1), true), (UInt64(2), false)] {
      let fileSystem = try Self.makeStore([("Person", 1)])
      var writer = ByteWriter()
      writer.writeByte(1)
      writer.writeVariableLength(1)
      for name in ["Person", "name"] {
        writer.writeVariableLength(0)
        writer.writeString(name)
      }
      writer.writeVariableLength(number)
      writer.writeByte(2)
      writer.writeVariableLength(0)
      writer.writeInteger(UInt64(0))
      writer.writeInteger(UInt64(0))
      let log = try Log.open(at: "/store", fileSystem: fileSystem)
      try log.transact {
        try $0.put([3], in: .catalog, schemaVersion: 0, payload: writer.array())
      }
      try log.close()
      do {
        let store = try AbandonedWriteTests.open(fileSystem)
        if isRefused { Issue.record("it was accepted") }
        try store.close()
      } catch StoreError.malformedCatalog { #expect(isRefused) }
    }
  }
}
