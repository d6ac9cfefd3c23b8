import BinaryCoding
import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Walks over damaged indexes, failing disks and changing transactions.
@Suite struct CursorTests {
  /// One sealed segment whose footer has several pages; the name of its file and where its footer
  /// starts.
  static func makeSealed(
    _ fileSystem: SimulatedFileSystem, count: Int = 500
  ) throws -> (name: String, footer: Int) {
    var configuration = TestLog.configuration
    configuration.segmentByteCountMinimum = 1 << 20
    configuration.segmentByteCountMaximum = 1 << 20
    let log = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    for start in stride(from: 0, to: count, by: 500) {
      try TestLog.put(start..<(start + 500), log)
    }
    try log.close()
    let manifest = try #require(
      try ManifestFile.read(in: fileSystem.openDirectory(at: "/store", create: false)))
    let segment = try #require(manifest.segments.first)
    return (StoreDirectory.segment(segment.identifier).description, Int(segment.dataEnd))
  }

  /// Where the page number `page` of the footer's index lies in the file.
  static func place(
    ofPage page: Int, _ fileSystem: SimulatedFileSystem, _ sealed: (name: String, footer: Int)
  ) throws -> Int {
    let bytes = try #require(fileSystem.snapshotOfFiles(in: "/store")[sealed.name])
    let run = sealed.footer + FrameHeader.longByteCount
    func integer(_ offset: Int, _ size: Int) -> Int {
      (0..<size).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
    }
    let directory = run + IndexRunHeader.byteCount + integer(run + 48, 8)
    return run + IndexRunHeader.byteCount + integer(directory + 20 * page, 4)
  }

  @Test(
    "P6: a walk that comes to a damaged page of the index goes on with one made of the records",
    arguments: [LogConfiguration.ReadMode.mapped, .buffered])
  func aWalkHealsADamagedPage(readMode: LogConfiguration.ReadMode) throws {
    for page in [0, 1, 4] {
      let fileSystem = SimulatedFileSystem()
      let sealed = try Self.makeSealed(fileSystem, count: 4000)
      let place = try Self.place(ofPage: page, fileSystem, sealed)
      fileSystem.flipBit(3, of: sealed.name, in: "/store", at: place + 30)
      for order in KeyOrder.allCases {
        let log = try TestLog.open(fileSystem, readMode: readMode)
        let cursor = try log.snapshot().records(in: TestLog.people, order: order)
        let found = try WalkModel.rest(of: cursor)
        let model = WalkModel(payloads: TestLog.expected(0..<4000))
        #expect(found == model.records(.all, order), "page \(page)")
        let isRebuilt = try log.snapshot().view().sealed.allSatisfy { $0.hasRebuiltFooter }
        #expect(isRebuilt, "page \(page)")
        try log.close()
      }
    }
  }

  @Test(
    "P6: a seek to a damaged page of the index finds what the records hold",
    arguments: KeyOrder.allCases)
  func aSeekHealsADamagedPage(order: KeyOrder) throws {
    let fileSystem = SimulatedFileSystem()
    let sealed = try Self.makeSealed(fileSystem, count: 4000)
    let place = try Self.place(ofPage: 4, fileSystem, sealed)
    fileSystem.flipBit(3, of: sealed.name, in: "/store", at: place + 30)
    let log = try TestLog.open(fileSystem)
    let cursor = try log.snapshot().records(in: TestLog.people, order: order)
    let model = WalkModel(payloads: TestLog.expected(0..<4000))
    let first = try cursor.next()?.key
    #expect(first == model.records(.all, order).first?.key)
    try cursor.seek(to: TestLog.key(3000))
    let found = try WalkModel.rest(of: cursor)
    #expect(found == model.records(.all, order, seeking: TestLog.key(3000)))
  }

  @Test(
    "P9: a walk that cannot read the index ends with its error and repeats nothing",
    arguments: KeyOrder.allCases)
  func aWalkEndsWithTheErrorOfItsIndex(order: KeyOrder) throws {
    let fileSystem = SimulatedFileSystem()
    _ = try Self.makeSealed(fileSystem)
    let log = try TestLog.open(fileSystem, readMode: .buffered)
    let cursor = try log.snapshot().records(in: TestLog.people, order: order)
    var keys: [[UInt8]] = []
    for _ in 0..<10 { keys.append(try #require(try cursor.next()).key) }
    fileSystem.setFaults([
      FaultPlan(operation: 1, .fail(.ioError), isPermanent: true, kinds: [.read])
    ])
    var errorCount = 0
    for _ in 0..<2000 {
      do throws(LogError) {
        guard let found = try cursor.next() else { break }
        keys.append(found.key)
      } catch {
        errorCount += 1
      }
    }
    #expect(errorCount > 0 && errorCount < 500)
    #expect(keys.count == 10)
    let last = try cursor.next()?.key
    #expect(last == nil)
  }

  @Test("A record that does not verify is passed over once, and no other with it")
  func oneBadRecordHidesNoOther() throws {
    let fileSystem = SimulatedFileSystem()
    let sealed = try Self.makeSealed(fileSystem)
    fileSystem.flipBit(1, of: sealed.name, in: "/store", at: sealed.footer / 2)
    let log = try TestLog.open(fileSystem)
    let cursor = try log.snapshot().records(in: TestLog.people)
    var found: Set<[UInt8]> = []
    var errorCount = 0
    while true {
      do throws(LogError) {
        guard let next = try cursor.next() else { break }
        found.insert(next.key)
      } catch {
        errorCount += 1
        try #require(errorCount < 500)
      }
    }
    #expect(errorCount == 1)
    #expect(found.count == 499)
  }

  @Test("P13: walks in a transaction pin no more than the one that is walked")
  func walksInATransactionPinNothing() throws {
    let log = try TestLog.open(InMemoryFileSystem())
    let batch = log.makeBatch()
    let overlay = TransactionOverlay(batch)
    let view = try log.snapshot().view()
    for number in 0..<3000 {
      try batch.put(
        TestLog.key(number % 300), in: TestLog.people, schemaVersion: 0, payload: [UInt8(1)])
      let cursor = try TransactionSnapshot(view, overlay).records(in: TestLog.people)
      let first = try cursor.next()?.key
      #expect(first == TestLog.key(0))
    }
    #expect(overlay.table.allocatedPageCount < 400)
  }
}
