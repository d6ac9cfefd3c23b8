import BinaryCoding
import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

@Suite("A dictionary is used when both copies are in the log, and not before")
struct DictionaryPairTests {
  /// How many copies of each dictionary the log holds, and whether fresh records use it.
  private static func copies(_ log: Log) throws -> [UInt8] {
    try log.pipeline.dictionaries.copies().entries.sorted { $0.key < $1.key }.map(\.value.intact)
  }

  @Test("A disk that gets full at any operation leaves no dictionary in use with one copy")
  func fullDisk() throws {
    var failures: [String] = []
    var halves = 0
    let prepared = SimulatedFileSystem()
    let first = try DictionaryLog.open(prepared)
    try DictionaryLog.put(0..<50, first)
    try first.close()
    for number in 1..<60 {
      let fileSystem = prepared.pristineCopy()
      var log = try DictionaryLog.open(fileSystem)
      try DictionaryLog.put(50..<60, log)
      let before = fileSystem.operationCount
      fileSystem.setFaults([
        FaultPlan(operation: before + number, .fail(.noSpace), isPermanent: true)
      ])
      let isMade = (try? DictionaryLog.makeDictionary(log)) ?? false
      let known = try Self.copies(log)
      if !isMade, known == [1] { halves += 1 }
      let isUsed = log.pipeline.dictionaries.newest(of: DictionaryLog.version) != nil
      if isUsed != (known == [3]) { failures.append("\(number): \(known), used: \(isUsed)") }
      if known.count > 1 { failures.append("\(number): there are orphans: \(known)") }
      fileSystem.setFaults([])
      if number % 2 == 0 {
        // What a kill leaves is the same.
        log = try DictionaryLog.open(fileSystem.afterCrash(.processKill))
      }
      do {
        try log.restoreDictionaries()
        if try Self.copies(log).contains(where: { $0 != 3 }) { failures.append("\(number): half") }
        _ = try DictionaryLog.makeDictionary(log)
        if try Self.copies(log) != [3] { failures.append("\(number): \(try Self.copies(log))") }
        try DictionaryLog.put(60..<100, log)
        if let defect = try DictionaryLog.defect(0..<100, log) { failures.append(defect) }
      } catch LogError.poisoned {
      } catch { failures.append("\(number): \(error)") }
    }
    #expect(failures.isEmpty, "\(failures.count): \(failures.prefix(4))")
    #expect(halves > 0)
  }

  @Test("What is restored lies in another file than the copy that is left, also in a fresh segment")
  func restoredCopiesAreApart() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try DictionaryLog.open(fileSystem)
    try DictionaryLog.put(0..<50, log)
    try log.sealActiveSegment()
    var failed = false
    // The first copy is written, and nothing after it.
    for number in 1..<40 where !failed {
      let copy = fileSystem.pristineCopy()
      let log = try DictionaryLog.open(copy)
      copy.setFaults([
        FaultPlan(operation: copy.operationCount + number, .fail(.noSpace), isPermanent: true)
      ])
      _ = try? DictionaryLog.makeDictionary(log)
      copy.setFaults([])
      guard try Self.copies(log) == [1] else { continue }
      failed = true
      try log.restoreDictionaries()
      var files: [String] = []
      for part in UInt8(0)...1 {
        let key = CompressionDictionary.key(DictionaryIdentifier(1), copy: part)
        let hit = try key.withUnsafeBytes { try log.pipeline.view.find(IndexKey(.catalog, $0)) }
        files.append(try #require(hit).segment.name.description)
      }
      #expect(files[0] != files[1])
    }
    #expect(failed)
  }

  @Test("A batch of another handle is a programmer error, told to whoever commits it")
  func foreignBatch() async {
    await #expect(processExitsWith: .failure) {
      let fileSystem = InMemoryFileSystem()
      try DictionaryLog.fill(fileSystem)
      let first = try DictionaryLog.open(fileSystem)
      let batch = first.makeBatch()
      try batch.put(
        DictionaryLog.key(1), in: DictionaryLog.people, schemaVersion: 1,
        payload: DictionaryLog.payload(1))
      try first.close()
      let second = try DictionaryLog.open(fileSystem)
      try second.commit(batch)
    }
  }

  @Test("Damage that is met again is not listed again, and a list has an end")
  func damagesAreListedOnce() {
    var damages: [CorruptionReport] = []
    for number in 0..<5000 {
      let report = CorruptionReport(
        file: "segment", offset: UInt64(number % 1200), reason: "it does not verify")
      damages.note([report, report])
    }
    #expect(damages.count == [CorruptionReport].countMaximum)
    #expect(Set(damages.map(\.offset)).count == damages.count)
  }
}
