import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

@Suite("What cannot be read is a loss like any other: salvage and verify go on")
struct UnreadableSalvageTests {
  private static let first = "segment-00000001.log"
  private static let second = "segment-00000002.log"
  private static let sector = 8192..<12288

  /// A closed store of 600 records in some segments of 32 KiB.
  private static func store() throws -> SimulatedFileSystem {
    let fileSystem = SimulatedFileSystem()
    var configuration = TestLog.configuration
    configuration.segmentByteCountMinimum = 32 << 10
    configuration.segmentByteCountMaximum = 32 << 10
    configuration.compression = .none
    let log = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    for start in stride(from: 0, to: 600, by: 5) { try TestLog.put(start..<start + 5, log) }
    try log.close()
    return fileSystem
  }

  /// A range of a file of the store that cannot be read; those of the new one can.
  private static func overlay(
    _ name: String, _ range: Range<Int>, after count: Int = 0
  ) -> ReadOverlay {
    ReadOverlay(file: "store/" + name, .unreadable(range, after: count))
  }

  private static func salvaged(
    _ fileSystem: SimulatedFileSystem
  ) throws -> (report: SalvageReport, contents: [[UInt8]: [UInt8]]) {
    let report = try LogSalvage.salvage(
      "/store", to: "/out", fileSystem: fileSystem, randomSource: SeededRandomSource(seed: 3))
    #expect(try LogVerifier.verify("/out", fileSystem: fileSystem).isIntact)
    var configuration = TestLog.configuration
    configuration.access = .readOnly
    let log = try Log.open(at: "/out", configuration: configuration, fileSystem: fileSystem)
    return (report, try TestLog.contents(log))
  }

  private static func isUnread(_ loss: SalvageReport.Loss) -> Bool {
    loss.reason.contains("cannot be read")
  }

  @Test("A sector that cannot be read costs what zeros in its place would cost")
  func sector() throws {
    let fileSystem = try Self.store()
    fileSystem.setOverlays([Self.overlay(Self.first, Self.sector)])
    let found = try Self.salvaged(fileSystem)
    let zeroed = try Self.store()
    zeroed.overwrite(
      Self.first, in: "/store", at: Self.sector.lowerBound, with: [UInt8](repeating: 0, count: 4096)
    )
    let expected = try Self.salvaged(zeroed)
    #expect(found.contents == expected.contents)
    #expect(found.contents.count > 540 && found.contents.count < 600, "\(found.contents.count)")
    let unread = found.report.losses.filter(Self.isUnread)
    #expect(unread.map(\.range) == [8192..<12288] && unread[0].file == Self.first)
    var last: UInt64 = 0
    for loss in found.report.losses where loss.file == Self.first {
      #expect(loss.range.lowerBound >= last, "\(found.report.losses)")
      last = loss.range.upperBound
    }
  }

  @Test("So does one in the manifest, in a header, or in all that a segment has")
  func otherPlaces() throws {
    let all = TestLog.expected(0..<600)
    var fileSystem = try Self.store()
    fileSystem.setOverlays([Self.overlay("MANIFEST", 0..<4096)])
    var found = try Self.salvaged(fileSystem)
    #expect(found.contents == all)
    #expect(found.report.losses.map(\.file) == ["MANIFEST"])
    #expect(found.report.losses.allSatisfy(Self.isUnread))

    fileSystem = try Self.store()
    fileSystem.removeFile("MANIFEST", in: "/store")
    fileSystem.setOverlays([Self.overlay(Self.second, 0..<4096)])
    found = try Self.salvaged(fileSystem)
    #expect(found.contents.count > 540 && found.contents.count < 600, "\(found.contents.count)")
    #expect(found.report.losses.contains { $0.file == Self.second && $0.range == 0..<4096 })

    fileSystem = try Self.store()
    fileSystem.removeFile("MANIFEST", in: "/store")
    fileSystem.setOverlays([
      Self.overlay(Self.second, 0..<(1 << 30))
    ])
    found = try Self.salvaged(fileSystem)
    #expect(found.contents.count > 300 && found.contents.count < 600, "\(found.contents.count)")
    #expect(found.report.losses.contains { $0.file == Self.second && Self.isUnread($0) })
  }

  @Test("Bad pieces are asked for twice at most, however often they are passed")
  func boundedWork() throws {
    let fileSystem = try Self.store()
    let places = Array(stride(from: 0, to: 32 << 10, by: 8192))
    fileSystem.setOverlays(
      places.map { Self.overlay(Self.first, $0..<($0 + 4096)) })
    _ = try Self.salvaged(fileSystem)
    #expect((places.count...2 * places.count).contains(fileSystem.failedReadCount))
  }

  @Test("A sector that is lost between the first reading and the copying is a loss, too")
  func copying() throws {
    let fileSystem = try Self.store()
    fileSystem.setOverlays([Self.overlay(Self.first, Self.sector, after: 1)])
    let (report, contents) = try Self.salvaged(fileSystem)
    #expect(contents.count > 540 && contents.count < 600, "\(contents.count)")
    #expect(!report.losses.isEmpty && report.losses.allSatisfy(Self.isUnread), "\(report.losses)")
    #expect(report.recordCount == UInt64(contents.count))
  }

  @Test("Whichever read fails once, salvage saves all, says what it lost, or leaves nothing")
  func anyRead() throws {
    let prepared = try Self.store()
    let rehearsal = prepared.pristineCopy()
    _ = try LogSalvage.salvage("/store", to: "/out", fileSystem: rehearsal)
    let count = rehearsal.operationCount
    var (firedCount, savedCount, refusedCount) = (0, 0, 0)
    for number in stride(from: 1, through: count, by: max(1, count / 150)) {
      let fileSystem = prepared.pristineCopy()
      fileSystem.setFaults([
        FaultPlan(operation: number, .fail(.ioError), kinds: [.read, .open, .size])
      ])
      do {
        let (report, contents) = try Self.salvaged(fileSystem)
        #expect(contents == TestLog.expected(0..<600) || !report.losses.isEmpty, "\(number)")
        savedCount += fileSystem.firedFaultCount
      } catch {
        #expect(fileSystem.snapshotOfFiles(in: "/out").isEmpty, "\(number): \(error)")
        refusedCount += 1
      }
      firedCount += fileSystem.firedFaultCount
    }
    #expect(savedCount > 50 && refusedCount > 0 && savedCount + refusedCount == firedCount)
  }

  @Test("verify lists the file that cannot be read, and goes on with the others")
  func verification() throws {
    let fileSystem = try Self.store()
    let intact = try LogVerifier.verify("/store", fileSystem: fileSystem)
    fileSystem.setOverlays([Self.overlay(Self.first, Self.sector)])
    fileSystem.flipBit(1, of: Self.second, in: "/store", at: 600)
    var report = try LogVerifier.verify("/store", fileSystem: fileSystem)
    #expect(report.damages.map(\.file) == [Self.first, Self.second], "\(report)")
    #expect(report.damages[0].reason.contains("cannot be read"))
    #expect((6000..<8193).contains(report.damages[0].offset), "\(report.damages[0])")
    #expect(report.fileCount == intact.fileCount)

    let others = try Self.store()
    let size = try #require(others.snapshotOfFiles(in: "/store")[Self.second]).count
    others.setOverlays([
      Self.overlay("MANIFEST", 0..<4096),
      Self.overlay(Self.second, (size - 100)..<size),
    ])
    report = try LogVerifier.verify("/store", fileSystem: others)
    #expect(report.damages.map(\.file) == ["MANIFEST"])

    others.setOverlays([
      Self.overlay(Self.second, (size - 100)..<size)
    ])
    report = try LogVerifier.verify("/store", fileSystem: others)
    #expect(report.damages.isEmpty && report.rebuildable.map(\.file).contains(Self.second))
    #expect(report.recordCount == intact.recordCount)
  }

  @Test("Progress of both passes rises to what there is to do")
  func progress() throws {
    let fileSystem = SimulatedFileSystem()
    var configuration = LogConfiguration()
    configuration.durability = .process
    configuration.compression = .none
    configuration.segmentByteCountMinimum = 64 << 20
    let log = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    for number in 0..<70 {
      let batch = log.makeBatch()
      try batch.put(
        TestLog.key(number), in: TestLog.people, schemaVersion: 0,
        payload: [UInt8](repeating: 7, count: 64 << 10))
      try log.commit(batch)
    }
    try log.close()
    for hasTwoPasses in [false, true] {
      if hasTwoPasses {
        // Whose header is lost may need dictionaries.
        fileSystem.removeFile("MANIFEST", in: "/store")
        fileSystem.flipBit(0, of: Self.first, in: "/store", at: 30)
        fileSystem.replaceContents(
          of: Self.second, in: "/store", with: try Self.header(of: log, number: 2))
      }
      var told: [(done: UInt64, total: UInt64)] = []
      _ = try LogSalvage.salvage(
        "/store", to: hasTwoPasses ? "/two" : "/one", fileSystem: fileSystem
      ) { told.append(($0, $1)) }
      let size = fileSystem.snapshotOfFiles(in: "/store").filter { $0.key.hasPrefix("segment") }
        .reduce(UInt64(0)) { $0 + UInt64($1.value.count) }
      let total = hasTwoPasses ? 2 * size : size
      #expect(told.count > (hasTwoPasses ? 8 : 4), "\(told.count)")
      #expect(told.allSatisfy { $0.total == total } && told.last?.done == total)
      #expect(zip(told, told.dropFirst()).allSatisfy { $0.done <= $1.done })
    }
  }

  /// A segment of the store that holds nothing, and says whose it is.
  private static func header(of log: Log, number: UInt32) throws -> [UInt8] {
    SegmentHeader(
      store: log.pipeline.store, segment: SegmentIdentifier(number), stream: .user, salt: 5,
      predecessor: 0, predecessorHash: 0, firstSequence: CommitSequence(1000)
    ).encode()
  }
}
