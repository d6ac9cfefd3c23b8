import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// What the manifest says of where keys lie: who looks for one opens no index that cannot have it.
@Suite struct ListedHeadsTests {
  private static func open(
    _ fileSystem: any FileSystem, notesHeads: Bool = true,
    _ change: (inout LogConfiguration) -> Void = { _ in }
  ) throws -> Log {
    var configuration = TestLog.configuration
    configuration.segmentByteCountMinimum = 1 << 10
    configuration.segmentByteCountMaximum = 1 << 10
    configuration.maintenance = .none
    configuration.notesHeads = notesHeads
    change(&configuration)
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  /// The indexes of the newest view that somebody has opened.
  private static func openedCount(_ log: Log) -> Int {
    log.pipeline.view.beneath.slots.count { $0.lendRun { _ in true } ?? false }
  }

  private static func descriptors(_ log: Log) -> [SegmentDescriptor] {
    log.pipeline.manifest.segments.filter(\.isSealed)
  }

  private static func fill(_ fileSystem: any FileSystem, notesHeads: Bool = true) throws -> Int {
    let log = try open(fileSystem, notesHeads: notesHeads)
    for start in stride(from: 0, to: 400, by: 10) { try TestLog.put(start..<(start + 10), log) }
    try log.close()
    return log.pipeline.view.sealed.count
  }

  @Test("a look-up opens the index that may have its key, and no other", arguments: [0, 205, 399])
  func aLookUpOpensOneIndex(number: Int) throws {
    let fileSystem = InMemoryFileSystem()
    #expect(try Self.fill(fileSystem) > 15)
    let log = try Self.open(fileSystem)
    let found = try log.snapshot().record(for: TestLog.key(number), in: TestLog.people)
    #expect(found?.payload == TestLog.payload(number))
    #expect(Self.openedCount(log) == 1)
    #expect(try log.snapshot().record(for: TestLog.key(400), in: TestLog.people) == nil)
    #expect(Self.openedCount(log) == 1)
    try log.close()
  }

  @Test("without what the manifest says, indexes that cannot have the key are opened, too")
  func withoutHeadsMoreAreOpened() throws {
    let fileSystem = InMemoryFileSystem()
    let count = try Self.fill(fileSystem, notesHeads: false)
    let log = try Self.open(fileSystem)
    #expect(Self.descriptors(log).allSatisfy { $0.heads == nil })
    let found = try log.snapshot().record(for: TestLog.key(0), in: TestLog.people)
    #expect(found?.payload == TestLog.payload(0))
    #expect(Self.openedCount(log) == count)
    try log.close()
  }

  @Test("a short walk opens the indexes that hold its keys", arguments: KeyOrder.allCases)
  func aShortWalkOpensFewIndexes(order: KeyOrder) throws {
    let fileSystem = InMemoryFileSystem()
    _ = try Self.fill(fileSystem)
    let log = try Self.open(fileSystem)
    let keys = KeyRange(from: .including(TestLog.key(100)), to: .excluding(TestLog.key(300)))
    let cursor = try log.snapshot().records(in: TestLog.people, keys: keys, order: order)
    for step in 0..<5 {
      let number = order == .ascending ? 100 + step : 299 - step
      #expect(try cursor.next()?.key == TestLog.key(number))
    }
    #expect(Self.openedCount(log) <= 2)
    let none = KeyRange(from: .including(TestLog.key(500)), to: .unbounded)
    #expect(try log.snapshot().records(in: TestLog.people, keys: none).next() == nil)
    #expect(Self.openedCount(log) <= 2)
    try log.close()
  }

  @Test("a look-up opens the merged index of its range, and no other")
  func aLookUpOpensOneRange() throws {
    let fileSystem = InMemoryFileSystem()
    do {
      let log = try Self.open(fileSystem) { $0.rangeKeyCountMinimum = 50 }
      for start in stride(from: 0, to: 400, by: 10) { try TestLog.put(start..<(start + 10), log) }
      try log.sealActiveSegment()
      try log.mergeIndexes()
      try log.close()
    }
    let log = try Self.open(fileSystem)
    let sources = log.pipeline.view.beneath.sources
    #expect(sources.count > 3 && sources.allSatisfy(\.isRanged))
    for (number, expected) in [(0, 1), (1, 1), (399, 2)] {
      let found = try log.snapshot().record(for: TestLog.key(number), in: TestLog.people)
      #expect(found?.payload == TestLog.payload(number))
      #expect(Self.openedCount(log) == expected)
    }
    try log.close()
  }

  @Test("keys whose first bytes are alike are found and walked", arguments: KeyOrder.allCases)
  func longPrefixesAreRead(order: KeyOrder) throws {
    func key(_ number: Int) -> [UInt8] { [UInt8]("https://a".utf8) + TestLog.key(number) }
    let fileSystem = InMemoryFileSystem()
    do {
      let log = try Self.open(fileSystem)
      for number in 0..<200 {
        let batch = log.makeBatch()
        try batch.put(
          key(number), in: TestLog.people, schemaVersion: 0, payload: TestLog.payload(number))
        try log.commit(batch)
      }
      try log.close()
    }
    let log = try Self.open(fileSystem)
    let view = log.pipeline.view
    let (low, high) = (key(50), key(150))
    let cursor = try low.withUnsafeBytes { low in
      try high.withUnsafeBytes { high in
        try MergingCursor(
          view: view, overlay: nil, sealed: view.beneath.sources,
          bounds: WalkBounds(
            lower: IndexKey(TestLog.people, low), upper: IndexKey(TestLog.people, high),
            order: order))
      }
    }
    for step in 0..<4 {
      let expected = key(order == .ascending ? 50 + step : 149 - step)
      #expect(cursor.current.map { [UInt8]($0.key.buffer) } == expected)
      try cursor.advance()
    }
    // Their directories were asked, and told that their keys lie elsewhere.
    #expect(cursor.openedCount <= 2)
    for number in [0, 99, 199] {
      let found = try log.snapshot().record(for: key(number), in: TestLog.people)
      #expect(found?.payload == TestLog.payload(number))
    }
    try log.close()
  }

  @Test("every way to seal a segment notes between which keys its own lie, and verify agrees")
  func everySealNotesThem() throws {
    let fileSystem = InMemoryFileSystem()
    let log = try Self.open(fileSystem) { $0.transactionByteCountInMemory = 2 << 10 }
    try TestLog.put(0..<40, log)
    try TestLog.delete([3, 1000], log)
    try log.transact { transaction in
      for number in 100..<160 {
        try transaction.put(
          TestLog.key(number), in: TestLog.people, schemaVersion: 0,
          payload: TestLog.payload(number))
      }
    }
    try log.sealActiveSegment()
    let victims = Self.descriptors(log).prefix(2).map(\.identifier)
    let rewrite = try log.beginRewrite(of: Set(victims))
    _ = try rewrite.carryOver()
    try rewrite.publish()
    try log.close()
    let reopened = try Self.open(fileSystem)
    let sealed = Self.descriptors(reopened)
    #expect(Set(sealed.map(\.stream)) == [.user, .compaction])
    #expect(sealed.allSatisfy { $0.recordCount == 0 || $0.heads != nil })
    try reopened.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
  }

  @Test("P6: verify finds a manifest that says that keys lie where they do not")
  func verifyFindsALie() throws {
    let files = try HostileStore.files(isOpen: false)
    let honest = try HostileStore.manifest(of: files)
    for index in honest.segments.indices {
      var manifest = honest
      let heads = try #require(manifest.segments[index].heads)
      manifest.segments[index].heads = KeyHeads(
        first: heads.first, last: (heads.last.collection, heads.last.head + 1))
      var changed = files
      changed["MANIFEST"] = manifest.encode()
      let fileSystem = SimulatedFileSystem(files: changed, in: "/store")
      let report = try LogVerifier.verify("/store", fileSystem: fileSystem)
      #expect(report.damages.contains { $0.reason.contains("its keys lie elsewhere") })
    }
  }
}
