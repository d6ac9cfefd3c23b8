import FileIO
import Foundation
import LogStore
import StorageTestSupport
import Testing

@testable import WorkloadProcess

@Suite("Series of small commits")
struct CommitSeriesTests {
  @Test(
    "all that a process committed is there when it was killed, and verifies (P2)",
    .enabled(if: RepeatabilityTests.tool != nil), arguments: [50, 700, 3000])
  func killed(count: Int) throws {
    let temporary = try TemporaryDirectory()
    let path = temporary.path + "/store"
    let process = Process()
    process.executableURL = RepeatabilityTests.tool
    process.arguments = ["series", path, "\(count)"]
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL)
    let log = try Log.open(at: path)
    #expect(try CommitSeries(count: count).isWhole(in: log))
    try log.close()
    #expect(try LogVerifier.verify(path).isIntact)
  }

  @Test("mapped and buffered writing give the same bytes, in segments of any fill (P25)")
  func sameBytes() throws {
    let temporary = try TemporaryDirectory()
    var wasMapped = false
    for count in [40, 333, 2000] {
      var files: [[String: Data]] = []
      for (name, mode) in [("mapped", LogConfiguration.WriteMode.mapped), ("buffered", .buffered)] {
        let path = "\(temporary.path)/\(name)-\(count)"
        try CommitSeries(count: count).write(to: path, mode) {
          #if os(Linux)
            let isMapped = MappedFiles.isWritable(below: path)
            #expect(mode == .mapped || !isMapped)
            if isMapped { wasMapped = true }
          #endif
        }
        files.append(try contents(of: path))
      }
      #expect(files[0].count > (count > 1000 ? 4 : 1))
      #expect(files[0] == files[1], "\(count) commits")
    }
    #if os(Linux)
      guard MappedFiles.areExpected(at: temporary.path) else {
        return print("SKIPPED: writes are not mapped on this file system")
      }
      #expect(wasMapped)
    #endif
  }

  /// Without the room that is kept for hard times: whether there is any depends on the disk.
  private func contents(of path: String) throws -> [String: Data] {
    let names = try FileManager.default.contentsOfDirectory(atPath: path)
    let kept = names.filter { !$0.hasPrefix("RESERVE") }
    return try Dictionary(
      uniqueKeysWithValues: kept.map { ($0, try Data(contentsOf: URL(filePath: "\(path)/\($0)"))) })
  }
}
