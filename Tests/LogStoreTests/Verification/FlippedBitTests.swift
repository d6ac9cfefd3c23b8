import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

@Suite struct FlippedBitTests {
  /// Puts, overwrites, deletions, several segments, one of them compacted, a merged run; closed.
  static func smallStore() throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    let log = try TestLog.open(fileSystem)
    try TestLog.put(0..<40, log)
    try TestLog.put(20..<60, log, version: 1)
    try TestLog.delete(30..<35, log)
    try log.sealActiveSegment()
    let rewrite = try log.beginRewrite(of: [SegmentIdentifier(1)])
    while let record = try rewrite.next() { try rewrite.keep(record) }
    try rewrite.publish()
    try log.mergeIndexes()
    try TestLog.put(60..<70, log, version: 2)
    try log.close()
    return fileSystem
  }

  @Test("P6: a flipped bit in any byte of any file is reported by verify, and never read")
  func everyFlipIsReportedAndNeverRead() throws {
    let fileSystem = try Self.smallStore()
    let intact = try LogVerifier.verify("/store", fileSystem: fileSystem)
    #expect(intact.isIntact, "\(intact)")
    let expected = try TestLog.contents(TestLog.open(fileSystem, access: .readOnly))
    let directory = try fileSystem.openDirectory(at: "/store", create: false)
    var flips = 0
    for (name, bytes) in try fileSystem.filesByName(in: "/store") {
      guard let fileName = FileName(name) else { continue }
      let file = try directory.open(fileName, .readWrite)
      for (position, byte) in bytes.enumerated() {
        let damaged = [byte ^ (1 << UInt8(position % 8))]
        try damaged.withUnsafeBytes { try file.write([$0], at: UInt64(position)) }
        let report = try LogVerifier.verify("/store", fileSystem: fileSystem)
        let isNamed = (report.damages + report.rebuildable).allSatisfy { $0.file == name }
        if report.isIntact || !isNamed { Issue.record("\(name) byte \(position): \(report)") }
        if position % 16 == 0 {
          try Self.expectNoWrongRead(fileSystem, expected, "\(name) byte \(position)")
        }
        try [byte].withUnsafeBytes { try file.write([$0], at: UInt64(position)) }
        flips += 1
      }
    }
    print("flipped \(flips) bits, each reported")
    #expect(flips > 4000)
  }

  static func expectNoWrongRead(
    _ fileSystem: InMemoryFileSystem, _ expected: [[UInt8]: [UInt8]], _ place: String
  ) throws {
    do {
      let log = try TestLog.open(fileSystem, access: .readOnly)
      defer { try? log.close() }
      for (key, payload) in expected {
        do {
          let found = try log.snapshot().record(for: key, in: TestLog.people)
          if found?.payload != payload { Issue.record("\(place)") }
        } catch {}
      }
      if try TestLog.contents(log) != expected { Issue.record("\(place)") }
    } catch LogError.corruption {
    }
  }
}
