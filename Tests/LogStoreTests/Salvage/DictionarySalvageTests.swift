import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

@Suite("Salvage saves what can be read: records, and the dictionaries that they need")
struct DictionarySalvageTests {
  private static func store() throws -> (
    fileSystem: SimulatedFileSystem, places: [(file: String, offset: Int)]
  ) {
    let fileSystem = SimulatedFileSystem()
    try DictionaryLog.fill(fileSystem)
    let log = try DictionaryLog.open(fileSystem)
    var places: [(file: String, offset: Int)] = []
    for copy in UInt8(0)...1 {
      let key = CompressionDictionary.key(DictionaryIdentifier(1), copy: copy)
      let found = try key.withUnsafeBytes { try log.pipeline.view.find(IndexKey(.catalog, $0)) }
      let hit = try #require(found)
      places.append((hit.segment.name.description, Int(hit.value.offset) + 100))
    }
    try log.close()
    return (fileSystem, places)
  }

  private static func salvage(
    _ fileSystem: SimulatedFileSystem
  ) throws -> (report: SalvageReport, found: Set<Int>, wrong: Int) {
    let report = try LogSalvage.salvage(
      "/store", to: "/out", fileSystem: fileSystem, randomSource: SeededRandomSource(seed: 3))
    let verification = try LogVerifier.verify("/out", fileSystem: fileSystem)
    #expect(verification.isIntact, "\(verification)")
    let log = try Log.open(
      at: "/out", configuration: DictionaryLog.configuration, fileSystem: fileSystem)
    let cursor = try log.snapshot().records(in: DictionaryLog.people)
    var found: Set<Int> = []
    var wrong = 0
    while let (key, record) = try cursor.next() {
      let number = key.reduce(0) { $0 << 8 | Int($1) }
      found.insert(number)
      if record.payload != DictionaryLog.payload(number) { wrong += 1 }
    }
    return (report, found, wrong)
  }

  @Test("One copy of a dictionary is enough, whichever it is", arguments: 0..<2)
  func oneCopy(copy: Int) throws {
    let (fileSystem, places) = try Self.store()
    fileSystem.flipBit(1, of: places[copy].file, in: "/store", at: places[copy].offset)
    let (report, found, wrong) = try Self.salvage(fileSystem)
    #expect(found == Set(0..<200) && wrong == 0)
    #expect(report.losses.map(\.file) == [places[copy].file])
  }

  @Test("Without a dictionary the records that need it are listed as lost, and none is wrong")
  func bothCopies() throws {
    for withoutManifest in [false, true] {
      let (fileSystem, places) = try Self.store()
      for place in places { fileSystem.flipBit(1, of: place.file, in: "/store", at: place.offset) }
      if withoutManifest { fileSystem.removeFile("MANIFEST", in: "/store") }
      let (report, found, wrong) = try Self.salvage(fileSystem)
      // Those from before it was made.
      #expect(found == Set(0..<50) && wrong == 0)
      let losses = report.losses.filter { $0.reason.contains("dictionary 1") }
      #expect(!losses.isEmpty && losses.allSatisfy { !$0.range.isEmpty }, "\(report.losses)")
      #expect(report.liveRecordCount == 50)
    }
  }

  @Test("Where what a dictionary was needed for was newer, the report says that older states are")
  func olderStates() throws {
    let (fileSystem, places) = try Self.store()
    let log = try DictionaryLog.open(fileSystem)
    let batch = log.makeBatch()
    for number in 10..<20 {
      try batch.put(
        DictionaryLog.key(number), in: DictionaryLog.people, schemaVersion: 1,
        payload: DictionaryLog.payload(number + 1000))
    }
    try log.commit(batch)
    try log.close()
    for place in places { fileSystem.flipBit(1, of: place.file, in: "/store", at: place.offset) }
    let (report, found, wrong) = try Self.salvage(fileSystem)
    // Those from before the dictionary, as they were then.
    #expect(found == Set(0..<50) && wrong == 0)
    #expect(report.losses.contains { $0.reason.contains("older states of their objects") })
  }

  @Test("Bytes that look like the header of a long frame hide no frame where the salt is lost")
  func headerless() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try TestLog.open(fileSystem)
    for start in stride(from: 0, to: 160, by: 4) { try TestLog.put(start..<start + 4, log) }
    try log.close()
    let files = fileSystem.snapshotOfFiles(in: "/store")
    let bytes = try #require(files["segment-00000001.log"])
    // The first frame becomes one that claims all that follows, and not to end its commit.
    var header = [UInt8](bytes[128..<176])
    let length = UInt32(2048)
    for index in 0..<4 { header[index] = UInt8(truncatingIfNeeded: length >> (8 * UInt32(index))) }
    for position in 4..<8 {
      var forged = header
      forged[position] = 0
      let damaged = fileSystem.pristineCopy()
      damaged.removeFile("MANIFEST", in: "/store")
      damaged.overwrite(
        "segment-00000001.log", in: "/store", at: 0, with: [UInt8](repeating: 0x5A, count: 128))
      damaged.overwrite("segment-00000001.log", in: "/store", at: 128, with: forged)
      // Nor does its first record verify.
      damaged.flipBit(0, of: "segment-00000001.log", in: "/store", at: 190)
      let report = try LogSalvage.salvage(
        "/store", to: "/out", fileSystem: damaged, randomSource: SeededRandomSource(seed: 3))
      #expect(
        report.liveRecordCount >= 156 && report.liveRecordCount < 160, "byte \(position): \(report)"
      )
    }
  }

  @Test("A store of many segments is salvaged with few descriptors")
  func fewDescriptors() throws {
    let fileSystem = LimitedFileSystem(InMemoryFileSystem())
    try OpenFileTests.make(300, fileSystem)
    fileSystem.setLimit(OpenFileBudget.maximumByDefault + 12)
    let report = try LogSalvage.salvage("/store", to: "/out", fileSystem: fileSystem)
    #expect(report.liveRecordCount == 3000 && report.losses.isEmpty)
  }

  @Test("A salvage that fails at any operation leaves no file, and can be tried again")
  func failuresLeaveNothing() throws {
    let (prepared, _) = try Self.store()
    var failures: [String] = []
    var (failureCount, survivedCount) = (0, 0)
    for number in stride(from: 1, to: 400, by: 7) {
      let fileSystem = prepared.pristineCopy()
      fileSystem.setFaults([
        FaultPlan(operation: number, .fail(.noSpace), isPermanent: false)
      ])
      do {
        _ = try LogSalvage.salvage("/store", to: "/out", fileSystem: fileSystem)
        if fileSystem.firedFaultCount > 0 { survivedCount += 1 }
        continue
      } catch { failureCount += 1 }
      fileSystem.setFaults([])
      let left = fileSystem.snapshotOfFiles(in: "/out").keys
      if !left.isEmpty { failures.append("\(number): \(left.sorted())") }
      do {
        _ = try LogSalvage.salvage("/store", to: "/out", fileSystem: fileSystem)
      } catch { failures.append("\(number): \(error)") }
    }
    #expect(failures.isEmpty, "\(failures.count): \(failures.prefix(3))")
    #expect(failureCount > 40 && survivedCount < 3, "\(failureCount), \(survivedCount)")
  }
}
