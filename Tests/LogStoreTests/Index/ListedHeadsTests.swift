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

  @Test("a look-up or the begin of a walk opens the merged index of its range, and no other")
  func oneRangeIsOpened() throws {
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
    for order in KeyOrder.allCases {
      let cursor = try log.snapshot().records(in: TestLog.people, order: order)
      #expect(try cursor.next()?.key == TestLog.key(order == .ascending ? 0 : 399))
      #expect(Self.openedCount(log) == (order == .ascending ? 1 : 2))
    }
    for (number, expected) in [(0, 2), (1, 2), (200, 3)] {
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
    for start in [200, 220, 240] { try TestLog.put(start..<(start + 20), log) }
    try log.sealActiveSegment()
    try log.mergeIndexes()
    #expect(!log.pipeline.manifest.runs.isEmpty)
    try log.close()
    try expectAllNoted(fileSystem, "/store")
    // A manifest that is rebuilt lists what was sealed since its copy.
    let directory = try fileSystem.openDirectory(at: "/store", create: false)
    try directory.remove(StoreDirectory.manifest)
    let rebuilt = try Self.open(fileSystem)
    #expect(rebuilt.recoveryReport.rebuiltManifest != nil)
    try TestLog.put([300], rebuilt)
    try rebuilt.close()
    try expectAllNoted(fileSystem, "/store")
    _ = try LogSalvage.salvage("/store", to: "/out", fileSystem: fileSystem)
    try expectAllNoted(fileSystem, "/out")
  }

  private func expectAllNoted(_ fileSystem: any FileSystem, _ path: String) throws {
    let directory = try fileSystem.openDirectory(at: path, create: false)
    let manifest = try #require(try ManifestFile.read(in: directory))
    #expect(manifest.segments.count { $0.isSealed } > 1)
    #expect(manifest.segments.allSatisfy { !$0.isSealed || $0.recordCount == 0 || $0.heads != nil })
    #expect(manifest.runs.allSatisfy { $0.heads != nil })
    #expect(try LogVerifier.verify(path, fileSystem: fileSystem).isIntact)
  }

  @Test("P6: verify, and whoever opens the index, finds a manifest that says where keys do not lie")
  func aLieIsFound() throws {
    let files = try HostileStore.files(isOpen: false)
    let honest = try HostileStore.manifest(of: files)
    for (index, isWider) in honest.segments.indices.flatMap({ [($0, true), ($0, false)] }) {
      var manifest = honest
      let heads = try #require(manifest.segments[index].heads)
      let last = isWider ? heads.last.head + 1 : heads.last.head - 1
      manifest.segments[index].heads = KeyHeads(
        first: heads.first, last: (heads.last.collection, last))
      var changed = files
      changed["MANIFEST"] = manifest.encode()
      let fileSystem = SimulatedFileSystem(files: changed, in: "/store")
      let report = try LogVerifier.verify("/store", fileSystem: fileSystem)
      #expect(report.damages.contains { $0.reason == Segment.misplacedKeys })
      let log = try TestLog.open(fileSystem)
      #expect(throws: LogError.self) { try TestLog.contents(log) }
    }
  }

  @Test("A cut before a head lies behind all keys that begin with less, and before all others")
  func cutsLieBeforeTheirHeads() {
    let keys: [[UInt8]] = [
      [0], [0, 0], [0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 1],
      [1], [1, 0], [1, 0, 7], [1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 3], [255],
      [UInt8](repeating: 255, count: 8), [UInt8](repeating: 255, count: 9),
    ]
    let all = [UInt32(1), 2].flatMap { collection in
      keys.map { KeyCut(collection: collection, key: $0) }
    }
    for cut in all {
      let head = cut.withIndexKey { KeyHeads.Head($0.collection, $0.head) }
      for other in all {
        let begins = other.withIndexKey { KeyHeads.Head($0.collection, $0.head) }
        #expect((other < KeyCut(before: head)) == (begins < head), "\(other), \(cut)")
        guard let behind = KeyHeads.successor(of: head) else { continue }
        #expect((other < KeyCut(before: behind)) == (begins <= head), "\(other), \(cut)")
      }
    }
  }

  @Test("P6: a merged index of which the manifest says what is not so is answered by footers")
  func aLieAboutARunIsFound() throws {
    var files = try HostileStore.files(isOpen: false, segmentByteCount: 2 << 10, hasRuns: true)
    let intact = try TestLog.open(SimulatedFileSystem(files: files, in: "/store"))
    let contents = try TestLog.contents(intact)
    var manifest = try HostileStore.manifest(of: files)
    let heads = try #require(manifest.runs[0].heads)
    manifest.runs[0].heads = KeyHeads(
      first: heads.first, last: (heads.last.collection, heads.last.head + 1))
    files["MANIFEST"] = manifest.encode()
    let fileSystem = SimulatedFileSystem(files: files, in: "/store")
    let report = try LogVerifier.verify("/store", fileSystem: fileSystem)
    #expect(report.rebuildable.contains { $0.reason == Segment.misplacedKeys })
    let log = try TestLog.open(fileSystem)
    #expect(try TestLog.contents(log) == contents)
    #expect(log.pipeline.view.beneath.runs[0].isDamaged)
  }

  @Test(
    "P6: walks from anywhere pass a range whose file cannot be opened",
    arguments: KeyOrder.allCases)
  func unopenableRangesAreWalked(order: KeyOrder) throws {
    let fileSystem = SimulatedFileSystem()
    var model = WalkModel()
    do {
      let log = try Self.open(fileSystem) { $0.rangeKeyCountMinimum = 50 }
      for start in stride(from: 0, to: 400, by: 10) { try TestLog.put(start..<(start + 10), log) }
      // Some of what the footers of the ranges have is hidden by newer records.
      for number in stride(from: 0, to: 400, by: 7) {
        let batch = log.makeBatch()
        try batch.put(
          TestLog.key(number), in: TestLog.people, schemaVersion: 1,
          payload: TestLog.payload(number + 1000))
        try log.commit(batch)
      }
      try TestLog.delete(stride(from: 3, to: 400, by: 11), log)
      try log.sealActiveSegment()
      try log.mergeIndexes()
      try TestLog.delete(stride(from: 5, to: 400, by: 13), log)
      try log.close()
      for number in 0..<400 where number % 11 != 3 && number % 13 != 5 {
        model.payloads[TestLog.key(number)] = TestLog.payload(
          number % 7 == 0 ? number + 1000 : number)
      }
    }
    let files = fileSystem.snapshotOfFiles(in: "/store")
    for name in files.keys.filter({ $0.hasSuffix(".run") }).sorted() {
      var damaged = files
      damaged[name]?[20] ^= 1
      let log = try Self.open(SimulatedFileSystem(files: damaged, in: "/store"))
      for start in stride(from: 0, to: 400, by: 23) {
        let keys = KeyRange(from: .including(TestLog.key(start)), to: .excluding(TestLog.key(390)))
        let cursor = try log.snapshot().records(in: TestLog.people, keys: keys, order: order)
        let sought = TestLog.key(start + 60)
        for seeking in [order == .ascending ? TestLog.key(start) : TestLog.key(390), sought] {
          if seeking == sought { try cursor.seek(to: sought) }
          var found: [WalkModel.Found] = []
          while let (key, record) = try cursor.next() {
            found.append(WalkModel.Found(key: key, payload: record.payload))
          }
          #expect(found == model.records(keys, order, seeking: seeking), "\(name) from \(start)")
        }
      }
    }
  }
}
