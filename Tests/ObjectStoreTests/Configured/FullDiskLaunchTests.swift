import FileIO
import LogStore
import StorageTestSupport
import Testing

@testable import ObjectStore

@Suite("P11: a compaction at open that finds no room keeps nobody from reading")
struct FullDiskLaunchTests {
  final class Observer: StoreObserver {
    private let count = Lock(0)
    var fullCount: Int { count.withLock { $0 } }
    func observe(_ event: StoreEvent) {
      if case .diskFull = event { count.withLock { $0 += 1 } }
    }
  }

  static func open(
    _ fileSystem: any FileSystem, _ observer: Observer? = nil,
    compacts: (@Sendable (UInt64, UInt64) -> Bool)? = nil
  ) throws -> Store {
    var configuration = try Store.Configuration(
      path: "/people", models: [SeedModels.Names.self], shouldCompactOnLaunch: compacts)
    configuration.compaction = .off
    configuration.settings.log.maintenance = .none
    configuration.settings.log.readMode = .buffered
    configuration.settings.log.diskReserveByteCountMaximum = 0
    configuration.settings.log.observer = observer
    return try Store.open(configuration, path: "/people", fileSystem: fileSystem)
  }

  @Test("The observer is told of the full disk, and the objects are read")
  func fullDisk() throws {
    let fileSystem = SimulatedFileSystem()
    var store = try Self.open(fileSystem)
    for round in 0..<2 {
      try store.write { transaction in
        for id in 0..<300 {
          try transaction.put(SeedModels.Names(id: id, firstName: "f\(round)", age: id))
        }
      }
    }
    try store.close()
    fileSystem.setByteCountLimit(fileSystem.usedByteCount)
    let observer = Observer()
    store = try Self.open(fileSystem, observer) { _, _ in true }
    #expect(try store.snapshot().count(SeedModels.Names.self) == 300)
    #expect(observer.fullCount > 0)
    try? store.close()
  }
}
