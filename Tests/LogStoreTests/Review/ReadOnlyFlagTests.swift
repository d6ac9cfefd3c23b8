import BinaryCoding
import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

@Suite struct ReadOnlyFlagTests {
  @Test("P18: with an unknown read-only flag a store is read and never written", arguments: 0..<32)
  func anUnknownFlagAllowsReadingOnly(bit: Int) throws {
    var files = try HostileStore.files(isOpen: false)
    var manifest = try HostileStore.manifest(of: files)
    manifest.readOnlyFlags = 1 << UInt32(bit)
    files["MANIFEST"] = manifest.encode()
    let fileSystem = SimulatedFileSystem(files: files, in: "/store")
    do {
      _ = try TestLog.open(fileSystem)
      Issue.record("it was opened for writing")
    } catch {
      guard case .newerFormat = error else {
        Issue.record("\(error)")
        return
      }
    }
    #expect(try TestLog.contents(TestLog.open(fileSystem, access: .readOnly)).count >= 280)
    #expect(fileSystem.snapshotOfFiles(in: "/store") == files)
  }
}
