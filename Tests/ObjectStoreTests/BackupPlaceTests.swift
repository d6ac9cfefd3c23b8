import FileIO
import LogStore
import ObjectStore
import StorageTestSupport
import Testing

/// Where a store's backup may lie.
@Suite struct BackupPlaceTests {
  @Test("A backup to the store itself, or into it, is refused by its place; nothing changes there")
  func inside() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/store"
    let history = SchemaHistory { Base(0) { Type("A", key: "id") { Field("id", .int64) } } }
    let store = try Store.open(at: path, history: history, configuration: .quiet)
    try store.write { try $0.put($0.makeObject(ofType: "A", ["id": 1])) }
    for (place, reason) in [
      (path, "it is the store itself"), (path + "/", "it is the store itself"),
      (path + "/b", "it lies in the store"), (path + "/b/c", "it lies in the store"),
      (directory.path + "/other/../store/b", "it lies in the store"),
    ] {
      #expect(throws: StoreError.log(.copyRefused(path: place, reason: reason))) {
        try store.backup(to: place)
      }
    }
    // A place that only begins alike is another one.
    #expect(try store.backup(to: path + "-backup") != nil)
    try store.close()
    #expect(try LogVerifier.verify(path, fileSystem: POSIXFileSystem()).isIntact)
  }
}
