import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Walks of what a store knows of itself: they read few segments, and yet what hides a record.
@Suite struct ReservedWalkTests {
  private static func open(_ fileSystem: any FileSystem, notesHeads: Bool = true) throws -> Log {
    var configuration = TestLog.configuration
    configuration.maintenance = .none
    configuration.notesHeads = notesHeads
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  private static func keys(_ log: Log, in collection: CollectionIdentifier) throws -> [[UInt8]] {
    let records = try log.snapshot().records(in: collection)
    var keys: [[UInt8]] = []
    while let (key, _) = try records.next() { keys.append(key) }
    return keys
  }

  @Test(
    "a record that was deleted stays away from walks when its tombstone is sealed",
    arguments: [CollectionIdentifier.ledger, .catalogCopies], [true, false])
  func sealedTombstone(collection: CollectionIdentifier, notesHeads: Bool) throws {
    let fileSystem = InMemoryFileSystem()
    var log = try Self.open(fileSystem, notesHeads: notesHeads)
    for key in 1...3 as ClosedRange<UInt8> {
      try log.put([key], in: collection, schemaVersion: 0, payload: [7])
    }
    try log.close()
    log = try Self.open(fileSystem, notesHeads: notesHeads)
    try log.delete([1], in: collection)
    #expect(try Self.keys(log, in: collection) == [[2], [3]])
    try log.sealActiveSegment()
    #expect(try Self.keys(log, in: collection) == [[2], [3]])
    try log.close()
    log = try Self.open(fileSystem, notesHeads: notesHeads)
    #expect(try log.snapshot().record(for: [1], in: collection) == nil)
    #expect(try Self.keys(log, in: collection) == [[2], [3]])
    try log.put([1], in: collection, schemaVersion: 0, payload: [8])
    try log.close()
    log = try Self.open(fileSystem, notesHeads: notesHeads)
    #expect(try Self.keys(log, in: collection) == [[1], [2], [3]])
    try log.close()
  }

  @Test("a walk of the ledger or the catalog opens no segment without them, whatever was deleted")
  func othersStayClosed() throws {
    let fileSystem = InMemoryFileSystem()
    var log = try Self.open(fileSystem)
    for collection in [CollectionIdentifier.catalog, .ledger] {
      try log.put([1], in: collection, schemaVersion: 0, payload: [7])
    }
    try log.sealActiveSegment()
    for start in [0, 10, 20] {
      try TestLog.put(start..<(start + 10), log)
      try TestLog.delete([start], log)
      try log.sealActiveSegment()
    }
    try log.close()
    log = try Self.open(fileSystem)
    #expect(log.pipeline.view.sealed.count == 4)
    for collection in [CollectionIdentifier.catalog, .ledger] {
      #expect(try Self.keys(log, in: collection) == [[1]])
    }
    #expect(log.pipeline.view.sealed.count(where: \.isOpen) == 1)
    try log.close()
  }
}
