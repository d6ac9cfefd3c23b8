import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Files in a store's directory that its manifest does not list.
@Suite struct LeftoverTests {
  @Test("A few are named one by one, and many are counted", arguments: [0, 1, 3, 4, 40])
  func notes(count: Int) throws {
    let fileSystem = InMemoryFileSystem()
    let log = try TestLog.open(fileSystem)
    try TestLog.put(0..<10, log)
    try log.close()
    let directory = try fileSystem.openDirectory(at: "/store", create: false)
    let names = (0..<count).map { StoreDirectory.segment(SegmentIdentifier(UInt32(1000 + $0))) }
    for name in names { _ = try directory.open(name, .createNew) }
    let report = try LogVerifier.verify("/store", fileSystem: fileSystem)
    #expect(report.isIntact)
    let found = report.notes.filter { $0.contains("belong to the store") }
    if count <= 3 {
      #expect(found.count == count)
      for (note, name) in zip(found, names) { #expect(note.hasPrefix("\(name) ")) }
    } else {
      #expect(found.count == 1)
      let named = "\(names[0]), \(names[1]) and others;"
      #expect(found.first?.hasPrefix("\(count) files do not belong to the store, \(named)") == true)
    }
  }
}
