import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

@Suite struct DictionaryLogTests {
  @Test("Fresh records are compressed against the dictionary of their version, and read back")
  func freshRecordsUseIt() throws {
    let fileSystem = InMemoryFileSystem()
    var log = try DictionaryLog.open(fileSystem)
    try DictionaryLog.put(0..<50, log)
    #expect(try log.statistics().dictionaries.isEmpty)
    #expect(try DictionaryLog.makeDictionary(log))
    try DictionaryLog.put(50..<200, log)
    #expect(try DictionaryLog.defect(0..<200, log) == nil)
    let dictionary = try #require(try log.statistics().dictionaries.first)
    #expect(dictionary.version == DictionaryLog.version)
    #expect(dictionary.recordCount == 150)
    #expect(dictionary.isNewest)
    #expect(dictionary.storedFraction ?? 1 < 0.6)
    try log.close()
    for readMode in [LogConfiguration.ReadMode.mapped, .buffered] {
      for access in [LogConfiguration.Access.readOnly, .readWrite] {
        log = try DictionaryLog.open(fileSystem, access: access, readMode: readMode)
        #expect(try DictionaryLog.defect(0..<200, log) == nil)
        #expect(try log.statistics().dictionaries == [dictionary])
        try log.close()
      }
    }
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
  }

  @Test("A transaction reads what it put, also when it is written to segments of its own")
  func transactionsUseIt() throws {
    let fileSystem = InMemoryFileSystem()
    try DictionaryLog.fill(fileSystem)
    var configuration = DictionaryLog.configuration
    configuration.transactionByteCountInMemory = 4 << 10
    let log = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    try log.transact { transaction in
      for number in 200..<900 {
        try transaction.put(
          DictionaryLog.key(number), in: DictionaryLog.people, schemaVersion: 1,
          payload: DictionaryLog.payload(number))
        let found = try transaction.record(
          for: DictionaryLog.key(number), in: DictionaryLog.people)
        guard found?.payload == DictionaryLog.payload(number) else {
          throw CaseFailure("the transaction does not see \(number)")
        }
      }
      let cursor = try transaction.records(in: DictionaryLog.people)
      var count = 0
      while try cursor.next() != nil { count += 1 }
      if count != 900 { throw CaseFailure("the transaction sees \(count)") }
    }
    #expect(try DictionaryLog.defect(0..<900, log) == nil)
    #expect(try log.statistics().dictionaries.first?.recordCount == 850)
    try log.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
  }

  @Test("A log that was not closed is recovered with its dictionaries and their counts")
  func tailsAreRecovered() throws {
    let fileSystem = InMemoryFileSystem()
    do {
      let log = try DictionaryLog.open(fileSystem)
      try DictionaryLog.put(0..<50, log)
      try DictionaryLog.makeDictionary(log)
      try DictionaryLog.put(50..<70, log)
    }
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
    let log = try DictionaryLog.open(fileSystem)
    #expect(try DictionaryLog.defect(0..<70, log) == nil)
    #expect(try log.statistics().dictionaries.map(\.recordCount) == [20])
    try DictionaryLog.put(70..<90, log)
    #expect(try DictionaryLog.defect(0..<90, log) == nil)
    #expect(try log.statistics().dictionaries.map(\.recordCount) == [40])
    try log.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
  }

  @Test("A reader beside the writer follows to a dictionary that is made meanwhile")
  func readersBesideFollow() throws {
    let fileSystem = InMemoryFileSystem()
    let log = try DictionaryLog.open(fileSystem)
    try DictionaryLog.put(0..<50, log)
    let reader = try DictionaryLog.open(fileSystem, access: .readOnly)
    #expect(reader.isBesideWriter)
    try DictionaryLog.makeDictionary(log)
    try DictionaryLog.put(50..<80, log)
    try reader.refresh()
    #expect(try DictionaryLog.defect(0..<80, reader) == nil)
    try log.sealActiveSegment()
    try DictionaryLog.put(80..<100, log)
    try reader.refresh()
    #expect(try DictionaryLog.defect(0..<100, reader) == nil)
  }

  @Test("A lost manifest is rebuilt with what the segments say of dictionaries")
  func manifestsAreRebuilt() throws {
    let fileSystem = SimulatedFileSystem()
    try DictionaryLog.fill(fileSystem)
    let log = try DictionaryLog.open(fileSystem)
    let before = try log.statistics().dictionaries
    try log.close()
    fileSystem.removeFile("MANIFEST", in: "/store")
    let rebuilt = try DictionaryLog.open(fileSystem)
    #expect(rebuilt.recoveryReport.rebuiltManifest != nil)
    #expect(try DictionaryLog.defect(0..<200, rebuilt) == nil)
    #expect(try rebuilt.statistics().dictionaries == before)
    try DictionaryLog.put(200..<210, rebuilt)
    try rebuilt.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
  }

  @Test("Older readers refuse what may need dictionaries, and only that")
  func olderReadersRefuse() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try DictionaryLog.open(fileSystem)
    try DictionaryLog.put(0..<50, log)
    try log.sealActiveSegment()
    let older = fileSystem.snapshotOfFiles(in: "/store")
    let manifest = try #require(older["MANIFEST"])
    #expect(manifest[10] == 9 && manifest[11] == 0)
    let first = try #require(older["segment-00000001.log"])
    // Version 7, for readers from 1 on, and the flag of short headers.
    #expect([UInt8](first[8...23]) == [7, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0])
    try DictionaryLog.makeDictionary(log)
    try DictionaryLog.put(50..<60, log)
    try log.close()
    let newer = fileSystem.snapshotOfFiles(in: "/store")
    let newManifest = try #require(newer["MANIFEST"])
    #expect([UInt8](newManifest[8...11]) == [9, 0, 9, 0])
    #expect(newer["segment-00000001.log"] == older["segment-00000001.log"])
    let flagged = newer.filter { $0.key.hasSuffix(".log") && $0.value[20] == 3 && $0.value[8] == 7 }
    #expect(flagged.count == newer.keys.count { $0.hasSuffix(".log") } - 1)
  }

  @Test("The same operations write the same bytes")
  func bytesRepeat() throws {
    let stores = try (0..<2).map { _ in
      let fileSystem = SimulatedFileSystem()
      try DictionaryLog.fill(fileSystem)
      return fileSystem.snapshotOfFiles(in: "/store")
    }
    #expect(stores[0] == stores[1])
  }

  @Test("Payloads that do not compress are not tried any more, unless all are to be compressed")
  func noiseIsLeftAlone() throws {
    let fileSystem = InMemoryFileSystem()
    var generator = SeededGenerator(seed: 21)
    var log = try DictionaryLog.open(fileSystem)
    let sample = (0..<300).map { _ in generator.bytes(100) }
    let isMade = try log.makeDictionary(
      for: DictionaryLog.version, sample: sample, recordCount: 5000)
    #expect(isMade)
    try DictionaryLog.put(0..<20, log)
    let verdict = try #require(try log.statistics().dictionaries.first)
    #expect(verdict.byteCount == 0)
    #expect(verdict.recordCount == 0)
    #expect(try DictionaryLog.defect(0..<20, log) == nil)
    try log.close()
    // What compresses after all gets a dictionary.
    log = try DictionaryLog.open(fileSystem)
    #expect(try DictionaryLog.makeDictionary(log))
    #expect(try log.statistics().dictionaries.map(\.isNewest) == [false, true])
  }

  @Test("A second dictionary is made only when the first compresses worse than it did")
  func decayMakesAnother() throws {
    let log = try DictionaryLog.open(InMemoryFileSystem())
    #expect(try DictionaryLog.makeDictionary(log))
    #expect(try !DictionaryLog.makeDictionary(log))
    #expect(try DictionaryLog.makeDictionary(log, DictionaryLog.otherSample))
    #expect(try log.statistics().dictionaries.map(\.identifier.rawValue) == [1, 2])
    #expect(try log.statistics().dictionaries.map(\.isNewest) == [false, true])
  }

  @Test("A larger dictionary is made when it is tried, there is room for it, and it is better")
  func growthMakesAnother() throws {
    let log = try DictionaryLog.open(InMemoryFileSystem())
    var generator = SeededGenerator(seed: 22)
    let words = (0..<301).map { _ in generator.bytes(24) }
    let sample = (0..<1500).map { number in
      words[number * 31 % 301] + words[number * 17 % 301] + [UInt8]("number \(number)".utf8)
    }
    func make(_ recordCount: UInt64, larger: Bool) throws -> [Int] {
      let isMade = try log.makeDictionary(
        for: DictionaryLog.version, sample: sample, recordCount: recordCount, triesLarger: larger)
      let sizes = try log.statistics().dictionaries.map { Int($0.byteCount) }
      return isMade ? sizes : []
    }
    let first = try make(3000, larger: false)
    #expect(first.count == 1 && first[0] > 0)
    #expect(try make(30_000, larger: false) == [])
    // Not half as large again.
    #expect(try make(4000, larger: true) == [])
    let second = try make(30_000, larger: true)
    #expect(second.count == 2 && second[1] >= 2 * first[0])
    #expect(try make(30_000, larger: true) == [])
  }

  @Test("Few records, few samples and no compression make no dictionary")
  func fewRecordsMakeNone() throws {
    let log = try DictionaryLog.open(InMemoryFileSystem())
    let sample = (0..<512).map { DictionaryLog.payload($0) }
    #expect(try !log.makeDictionary(for: DictionaryLog.version, sample: sample, recordCount: 2000))
    #expect(
      try !log.makeDictionary(
        for: DictionaryLog.version, sample: [[UInt8]](sample.prefix(200)), recordCount: 5000))
    let raw = try DictionaryLog.open(InMemoryFileSystem(), compression: .none)
    #expect(try !DictionaryLog.makeDictionary(raw))
  }
}
