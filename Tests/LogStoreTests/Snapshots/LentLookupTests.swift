import BinaryCoding
import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// A record that a look-up lends is the one that it would copy.
@Suite struct LentLookupTests {
  /// What a look-up lends, copied; by pointer and by array.
  private static func lent(
    _ key: [UInt8], _ snapshot: Snapshot
  ) throws(LogError) -> [StoredRecord?] {
    let people = DictionaryLog.people
    let byArray = try snapshot.withRecord(for: key, in: people) { record in
      (isKey: record.key.elementsEqual(key), record: StoredRecord(copying: record))
    }
    #expect(byArray?.isKey ?? true)
    let byPointer = try key.withBytes { (key: UnsafeRawBufferPointer) throws(LogError) in
      try snapshot.withRecord(for: key, in: people) { StoredRecord(copying: $0) }
    }
    return [byArray?.record, byPointer]
  }

  /// A payload of a size that the stack has room for, or of more.
  private static func payload(_ number: Int, using generator: inout SeededGenerator) -> [UInt8] {
    switch number % 5 {
    case 0: return generator.bytes(number % 50)
    case 1: return [UInt8](repeating: UInt8(number % 100), count: 100 * (number % 90))
    case 2: return []
    default: return DictionaryLog.payload(number)
    }
  }

  @Test(
    "P7: what is lent is what is copied: open or opened, sealed, with dictionaries, or not there",
    arguments: [LogConfiguration.ReadMode.mapped, .buffered], [UInt64(1), 2, 3])
  func lentIsCopied(readMode: LogConfiguration.ReadMode, seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let fileSystem = InMemoryFileSystem()
    var log = try DictionaryLog.open(
      fileSystem, readMode: readMode, compression: seed == 3 ? .none : .automatic)
    if seed == 2 { try #require(try DictionaryLog.makeDictionary(log)) }
    for round in 0..<12 {
      let batch = log.makeBatch()
      for _ in 0..<60 {
        let number = Int.random(in: 0..<400, using: &generator)
        if number % 9 == 4 {
          try batch.delete(DictionaryLog.key(number), in: DictionaryLog.people)
        } else {
          try batch.put(
            DictionaryLog.key(number), in: DictionaryLog.people, schemaVersion: 1,
            payload: Self.payload(number + round, using: &generator))
        }
      }
      try log.commit(batch)
      if round == 8 {
        try log.close()
        log = try DictionaryLog.open(
          fileSystem, readMode: readMode, compression: seed == 3 ? .none : .automatic)
      }
      var found = 0
      var quickCount = 0
      let snapshot = log.snapshot()
      for number in 0..<400 {
        let key = DictionaryLog.key(number)
        let expected = try key.withBytes { (key: UnsafeRawBufferPointer) throws(LogError) in
          try snapshot.recordWithErrors(for: key, in: DictionaryLog.people)
        }
        if expected != nil { found += 1 }
        try key.withBytes { (key: UnsafeRawBufferPointer) throws(LogError) in
          if case .found = try snapshot.lookUp(key, in: DictionaryLog.people) { quickCount += 1 }
        }
        let copied = try snapshot.record(for: key, in: DictionaryLog.people)
        if try copied != expected || Self.lent(key, snapshot) != [expected, expected] {
          Issue.record("seed \(seed), round \(round), key \(number)")
        }
      }
      #expect(found > 40)
      if readMode == .mapped, round > 8 { #expect(quickCount > 20, "round \(round)") }
    }
    #expect(throws: LogError.emptyKey) { _ = try Self.lent([], log.snapshot()) }
    try log.close()
  }

  @Test("P8: of a damaged record nothing is lent, and the error says where it lies")
  func damageIsReported() throws {
    let fileSystem = SimulatedFileSystem()
    var log = try DictionaryLog.open(fileSystem)
    try DictionaryLog.put(0..<300, log)
    let found = try #require(
      try DictionaryLog.key(7).withUnsafeBytes {
        try log.pipeline.view.find(IndexKey(DictionaryLog.people, $0))
      })
    let (name, offset) = (found.segment.name.description, Int(found.value.offset))
    try log.close()
    fileSystem.flipBit(2, of: name, in: "/store", at: offset + 12)
    log = try DictionaryLog.open(fileSystem)
    let snapshot = log.snapshot()
    #expect(throws: LogError.self) { _ = try Self.lent(DictionaryLog.key(7), snapshot) }
    let others = try Self.lent(DictionaryLog.key(8), snapshot)
    #expect(others.allSatisfy { $0?.payload == DictionaryLog.payload(8) })
    try log.close()
  }

  @Test("What was lent stays while the body runs, though nobody else holds the snapshot")
  func theSnapshotStays() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/store"
    var configuration = DictionaryLog.configuration
    configuration.compression = .none
    let log = try Log.open(at: path, configuration: configuration)
    try DictionaryLog.put(0..<3000, log)
    let key = DictionaryLog.key(5)
    _ = try log.snapshot().record(for: key, in: DictionaryLog.people)
    var isQuick = false
    let isSame = try log.snapshot().withRecord(for: key, in: DictionaryLog.people) { record in
      let before = [UInt8](record.payload)
      if case .found = log.pipeline.view.fastRecord(
        key.withUnsafeBytes { IndexKey(DictionaryLog.people, $0) })
      {
        isQuick = true
      }
      // Replaced, carried nowhere, and its file removed, were it not for the snapshot.
      do {
        try DictionaryLog.put(0..<3000, log)
        try ManifestRebuildingTests.rewriteAll(log)
      } catch { Issue.record("\(error)") }
      return before.elementsEqual(record.payload)
    }
    #expect(isQuick && isSame == true)
    try log.close()
  }
}
