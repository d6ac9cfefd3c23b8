import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Merging is asked for by who rewrites segments, too, which may be before the first write.
@Suite("No index is merged before the first write has put the store in order (decision 4)")
struct UnrepairedMergeTests {
  static func canMerge(_ log: Log) throws(LogError) -> Bool {
    log.pipeline.enter("a test")
    defer { log.pipeline.leave() }
    return try log.pipeline.mergePlanner(.single) != nil
  }

  @Test("A recovered tail is no segment that a manifest may list")
  func recoveredTail() throws {
    let fileSystem = try RecoveryTests.unclosedStore(200, durability: .full)
    let log = try TestLog.open(fileSystem)
    #expect(log.recoveryReport.tail == .open)
    #expect(try !Self.canMerge(log))
    try log.close()
    let again = try TestLog.open(fileSystem)
    try TestLog.put([1000], again)
    #expect(try Self.canMerge(again))
    try TestLog.compare(again, TestLog.expected(Array(0..<200) + [1000]))
    try again.close()
  }

  @Test("A manifest that was rebuilt is put in force by a write only")
  func rebuiltManifest() throws {
    let fileSystem = try RecoveryTests.unclosedStore(200, durability: .full)
    let directory = try fileSystem.openDirectory(at: "/store", create: false)
    try directory.remove(StoreDirectory.manifest)
    let log = try TestLog.open(fileSystem)
    #expect(try !Self.canMerge(log))
    try TestLog.put([1000], log)
    #expect(try Self.canMerge(log))
    try log.close()
  }
}
