import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

@Suite struct LimitTests {
  @Test("The largest schema version is counted as itself in sealed segments; larger are refused")
  func schemaVersionsFitTheIndex() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try TestLog.open(fileSystem)
    let largest = LogLimits.schemaVersion
    try TestLog.put(0..<20, log, version: largest)
    for version in [largest + 1, UInt64.max] {
      #expect(throws: LogError.self) { try TestLog.put([30], log, version: version) }
    }
    try log.sealActiveSegment()
    #expect(log.liveByVersion.keys.map(\.schemaVersion) == [largest])
    try TestLog.put(0..<20, log, version: 1)
    #expect(log.liveByVersion.keys.map(\.schemaVersion) == [1])
    try log.close()
    let report = try LogVerifier.verify("/store", fileSystem: fileSystem)
    #expect(report.isIntact, "\(report)")
  }
}
