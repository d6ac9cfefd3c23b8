import BinaryCoding
import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

@Suite struct LostDictionaryTests {
  /// A store with a dictionary, and where its two copies lie.
  private static func store() throws -> (
    fileSystem: SimulatedFileSystem, places: [(file: String, offset: Int)]
  ) {
    let fileSystem = SimulatedFileSystem()
    try DictionaryLog.fill(fileSystem)
    let log = try DictionaryLog.open(fileSystem)
    let view = log.pipeline.view
    var places: [(file: String, offset: Int)] = []
    for copy in UInt8(0)...1 {
      let key = CompressionDictionary.key(DictionaryIdentifier(1), copy: copy)
      let found = try key.withUnsafeBytes { try view.find(IndexKey(.catalog, $0)) }
      let hit = try #require(found)
      places.append((hit.segment.name.description, Int(hit.value.offset) + 100))
    }
    try log.close()
    return (fileSystem, places)
  }

  @Test("The copies of a dictionary lie in different files")
  func copiesAreApart() throws {
    let places = try Self.store().places
    #expect(places[0].file != places[1].file)
  }

  @Test("P14: with one copy of a dictionary damaged nothing is lost", arguments: 0..<2)
  func oneCopyIsEnough(copy: Int) throws {
    let (fileSystem, places) = try Self.store()
    for bit in 0..<8 {
      let damaged = fileSystem.pristineCopy()
      damaged.flipBit(bit, of: places[copy].file, in: "/store", at: places[copy].offset + bit * 40)
      let log = try DictionaryLog.open(damaged)
      #expect(try DictionaryLog.defect(0..<200, log) == nil)
      try DictionaryLog.put(200..<220, log)
      try log.close()
      let again = try DictionaryLog.open(damaged, access: .readOnly)
      #expect(try DictionaryLog.defect(0..<220, again) == nil)
    }
  }

  @Test(
    "P14: a copy of a dictionary in a bad place of the disk is like a damaged one", arguments: 0..<2
  )
  func unreadableCopy(copy: Int) throws {
    let (fileSystem, places) = try Self.store()
    // Where the record lies, and the index that tells of it.
    let byteCount = fileSystem.snapshotOfFiles(in: "/store")[places[copy].file]?.count ?? 0
    for start in [places[copy].offset, byteCount - 64].prefix(copy == 0 ? 2 : 1) {
      fileSystem.setOverlays([
        ReadOverlay(file: "store/" + places[copy].file, .unreadable(start..<start + 10))
      ])
      let log = try DictionaryLog.open(fileSystem, readMode: .buffered)
      #expect(throws: Never.self, "reads from \(start)") {
        let found = try log.snapshot().record(for: DictionaryLog.key(100), in: DictionaryLog.people)
        #expect(found?.payload == DictionaryLog.payload(100))
      }
      #expect(throws: Never.self, "statistics from \(start)") { _ = try log.statistics() }
      #expect(throws: Never.self, "restores from \(start)") { try log.restoreDictionaries() }
      #expect(
        log.pipeline.dictionaries.newest(of: DictionaryLog.version) != nil, "newest from \(start)")
      #expect(throws: Never.self, "puts from \(start)") { try DictionaryLog.put(200..<220, log) }
      #expect(throws: Never.self, "closes from \(start)") { try log.close() }
    }
  }

  @Test("P14: what the disk refuses of both copies is read when it gives it, without opening again")
  func refusedForAWhile() throws {
    let (fileSystem, places) = try Self.store()
    let log = try DictionaryLog.open(fileSystem, readMode: .buffered)
    fileSystem.setOverlays(
      places.map { ReadOverlay(file: "store/" + $0.file, .unreadable($0.offset..<$0.offset + 1)) })
    for _ in 0..<2 {
      _ = try log.statistics()
      #expect(throws: LogError.self) {
        try log.snapshot().record(for: DictionaryLog.key(100), in: DictionaryLog.people)
      }
    }
    fileSystem.setOverlays([])
    #expect(try DictionaryLog.defect(0..<200, log) == nil)
    try log.close()
  }

  @Test("A read needs one copy of a dictionary; who compresses against it needs both")
  func aReadLoadsOneCopy() throws {
    let (fileSystem, _) = try Self.store()
    let log = try DictionaryLog.open(fileSystem)
    let shelf = log.pipeline.dictionaries
    let read = try log.snapshot().record(for: DictionaryLog.key(100), in: DictionaryLog.people)
    #expect(read?.payload == DictionaryLog.payload(100))
    #expect(shelf.copiesReadSoFar.entries.map(\.value.intact) == [2])
    #expect(shelf.newest(of: DictionaryLog.version) != nil)
    #expect(shelf.copiesReadSoFar.entries.map(\.value.intact) == [3])
  }

  @Test("A rewrite of a restored copy that nobody has read yet leaves both known", arguments: 0..<2)
  func aRewriteLoadsFirst(copy: Int) throws {
    let (fileSystem, places) = try Self.store()
    fileSystem.flipBit(0, of: places[copy].file, in: "/store", at: places[copy].offset)
    let first = try DictionaryLog.open(fileSystem)
    try first.restoreDictionaries()
    try first.close()
    let log = try DictionaryLog.open(fileSystem)
    // It hides the damaged one, and so is carried over without a question whether it is needed.
    let key = CompressionDictionary.key(DictionaryIdentifier(1), copy: UInt8(copy))
    // Nothing here keeps the segment, whose file goes when it is replaced.
    let holder = try key.withUnsafeBytes { key in
      try #require(try log.pipeline.view.find(IndexKey(.catalog, key))?.segment.identifier)
    }
    #expect(StoreDirectory.segment(holder).description != places[copy].file)
    let rewrite = try log.beginRewrite(of: [holder])
    while let record = try rewrite.next() { try rewrite.keep(record) }
    try rewrite.publish()
    let known = try log.pipeline.dictionaries.copies()
    #expect(known.entries.map(\.value.intact) == [3])
    #expect(try DictionaryLog.defect(0..<200, log) == nil)
  }

  @Test("A read goes on to the other copy when the disk fails, and who needs both reads it again")
  func aReadGoesOnToTheOtherCopy() throws {
    let (fileSystem, _) = try Self.store()
    let log = try DictionaryLog.open(fileSystem)
    let shelf = log.pipeline.dictionaries
    let header = try DictionaryLog.key(100).withUnsafeBytes { bytes in
      let key = IndexKey(DictionaryLog.people, bytes)
      let hit = try #require(try log.pipeline.view.find(key))
      return try hit.segment.withRecord(at: hit.value, key: key) { $0.header }
    }
    let name = StoreDirectory.manifest
    fileSystem.setFaults([
      FaultPlan(operation: fileSystem.operationCount + 1, .fail(.ioError), isPermanent: true)
    ])
    #expect(throws: LogError.self) { try shelf.lent(for: header, in: name, at: 0).bytes.count }
    fileSystem.setFaults([
      FaultPlan(operation: fileSystem.operationCount + 1, .fail(.ioError), occurrences: 1)
    ])
    #expect(try shelf.lent(for: header, in: name, at: 0).bytes.count > 0)
    #expect(shelf.copiesReadSoFar.entries.map(\.value.intact) == [1])
    #expect(shelf.newest(of: DictionaryLog.version) != nil)
    #expect(shelf.copiesReadSoFar.entries.map(\.value.intact) == [3])
  }

  @Test("A copy that was lost is written again, and then the other may be lost", arguments: 0..<2)
  func aCopyIsRestored(copy: Int) throws {
    let (fileSystem, places) = try Self.store()
    fileSystem.flipBit(0, of: places[copy].file, in: "/store", at: places[copy].offset)
    let log = try DictionaryLog.open(fileSystem)
    try log.restoreDictionaries()
    try log.close()
    let other = places[1 - copy]
    fileSystem.flipBit(0, of: other.file, in: "/store", at: other.offset)
    let again = try DictionaryLog.open(fileSystem)
    #expect(try DictionaryLog.defect(0..<200, again) == nil)
  }

  @Test("P14: with both copies damaged, reading tells the dictionary, its places and the record's")
  func bothCopiesAreATypedError() throws {
    let (fileSystem, places) = try Self.store()
    for place in places { fileSystem.flipBit(3, of: place.file, in: "/store", at: place.offset) }
    for readMode in [LogConfiguration.ReadMode.mapped, .buffered] {
      let log = try DictionaryLog.open(fileSystem, access: .readOnly, readMode: readMode)
      // Records from before it was made do not need it.
      let first = try log.snapshot().record(
        for: DictionaryLog.key(7), in: DictionaryLog.people)
      #expect(first?.payload == DictionaryLog.payload(7))
      let error = #expect(throws: LogError.self) {
        try log.snapshot().record(for: DictionaryLog.key(100), in: DictionaryLog.people)
      }
      guard case .corruption(let report)? = error else { continue }
      #expect(report.lostDictionary?.rawValue == 1)
      for place in places { #expect(report.reason.contains(place.file)) }
      #expect(report.description.contains("backup"))
      #expect(try log.statistics().dictionaries.map(\.isLost) == [true])
    }
    let report = try LogVerifier.verify("/store", fileSystem: fileSystem)
    #expect(report.damages.count >= 2)
  }

  @Test("Records of a lost dictionary are kept; new ones do without, and get another number")
  func lostNumbersAreNotUsedAgain() throws {
    let (fileSystem, places) = try Self.store()
    for place in places { fileSystem.flipBit(3, of: place.file, in: "/store", at: place.offset) }
    let log = try DictionaryLog.open(fileSystem)
    try DictionaryLog.put(200..<210, log)
    #expect(try DictionaryLog.makeDictionary(log))
    try DictionaryLog.put(210..<220, log)
    #expect(try log.statistics().dictionaries.map(\.identifier.rawValue) == [1, 2])
    for number in 200..<220 {
      let found = try log.snapshot().record(
        for: DictionaryLog.key(number), in: DictionaryLog.people)
      #expect(found?.payload == DictionaryLog.payload(number))
    }
    #expect(throws: LogError.self) {
      try log.snapshot().record(for: DictionaryLog.key(100), in: DictionaryLog.people)
    }
  }

  @Test("P14: dictionaries refused for a while survive a rewrite of their segments, apart")
  func refusedThenRewritten() throws {
    let (fileSystem, places) = try Self.store()
    let log = try DictionaryLog.open(fileSystem, readMode: .buffered)
    fileSystem.setOverlays(
      places.map {
        ReadOverlay(file: "store/" + $0.file, .unreadable($0.offset..<$0.offset + 1))
      })
    _ = try log.statistics()
    fileSystem.setOverlays([])
    func holders() throws -> [SegmentIdentifier] {
      try (UInt8(0)...1).map { copy in
        let key = CompressionDictionary.key(DictionaryIdentifier(1), copy: copy)
        let found = try key.withUnsafeBytes {
          try log.pipeline.view.find(IndexKey(.catalog, $0))?.segment.identifier
        }
        return try #require(found)
      }
    }
    let rewrite = try log.beginRewrite(of: Set(try holders()))
    while let record = try rewrite.next() { try rewrite.keep(record) }
    try rewrite.publish()
    let after = try holders()
    #expect(after[0] != after[1])
    #expect(try DictionaryLog.defect(0..<200, log) == nil)
  }

  @Test("P14: dictionaries in a tail make one table, however many there are")
  func tableOfTail() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try Log.open(at: "/store", fileSystem: fileSystem)
    let batch = log.makeBatch()
    for number in UInt32(1)...50 {
      let dictionary = [UInt8](repeating: 0x41, count: 8).withBytes { bytes in
        CompressionDictionary(
          DictionaryIdentifier(number),
          CollectionVersion(collection: TestLog.people, schemaVersion: UInt64(number)),
          sample: CompressionDictionary.Sample(rawByteCount: 100, storedByteCount: 50), bytes: bytes
        )
      }
      batch.put(dictionary, copy: 0)
    }
    try log.commit(batch)
    let again = try Log.open(at: "/store", fileSystem: fileSystem.afterCrash(.processKill))
    #expect(try again.pipeline.dictionaries.all().count == 50)
    #expect(again.pipeline.dictionaries.tableCount <= 2)
  }

  @Test("P14: segments that lost a dictionary with their index are read once for it, by who reads")
  func damagedHoldersAreReadOnce() throws {
    let (files, places) = try Self.store()
    // Of a segment that is not damaged.
    let writer = try DictionaryLog.open(files)
    try DictionaryLog.put(300..<310, writer)
    try writer.close()
    for place in places {
      files.flipBit(3, of: place.file, in: "/store", at: place.offset)
      let byteCount = files.snapshotOfFiles(in: "/store")[place.file]?.count ?? 0
      files.flipBit(3, of: place.file, in: "/store", at: byteCount - 40)
    }
    let opened = Lock(0)
    let fileSystem = ObservedFileSystem(files) { (call) throws(FileIOError) in
      guard case .open(let name) = call, places.contains(where: { $0.file == name.description })
      else { return }
      opened.withLock { $0 += 1 }
    }
    let log = try DictionaryLog.open(fileSystem, access: .readOnly, readMode: .buffered)
    var counts: [Int] = []
    for _ in 0..<6 {
      #expect(throws: LogError.self) {
        try log.snapshot().record(for: DictionaryLog.key(305), in: DictionaryLog.people)
      }
      counts.append(opened.withLock { $0 })
    }
    #expect(Set(counts.dropFirst()).count == 1, "\(counts)")
  }

  @Test("P14: a manifest that counts any number of records makes no dictionary of any size")
  func countsBeyondNumbers() throws {
    let log = try DictionaryLog.open(InMemoryFileSystem())
    let sample = (0..<512).map { DictionaryLog.payload($0 * 3) }
    #expect(try log.makeDictionary(for: DictionaryLog.version, sample: sample, recordCount: .max))
    let known = try #require(log.pipeline.dictionaries.newest(of: DictionaryLog.version))
    #expect(known.bytes.count <= 56 << 10)
  }

  @Test("Where all numbers of dictionaries were given, none is made, and nothing fails")
  func noNumberIsLeft() throws {
    let fileSystem = SimulatedFileSystem()
    var log = try DictionaryLog.open(fileSystem)
    let last = [UInt8](repeating: 0x41, count: 8).withBytes { bytes in
      CompressionDictionary(
        DictionaryIdentifier(.max),
        CollectionVersion(collection: CollectionIdentifier(2), schemaVersion: 1),
        sample: CompressionDictionary.Sample(rawByteCount: 100, storedByteCount: 99), bytes: bytes)
    }
    let batch = log.makeBatch()
    for copy in UInt8(0)...1 { batch.put(last, copy: copy) }
    try log.commit(batch)
    log = try DictionaryLog.open(fileSystem.afterCrash(.processKill))
    #expect(try !DictionaryLog.makeDictionary(log))
  }
}
