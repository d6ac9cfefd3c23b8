import FileIO
import Foundation
import LogStore
import StorageTestSupport
import Testing

@testable import ObjectStore

/// Closing a store in one thread and opening it in another.
@Suite("Closing and opening again")
struct ClosingTests {
  @Test("R9: who opens a store that is being closed waits, and gets a store of its own")
  func race() throws {
    let directory = try TemporaryDirectory()
    var configuration = Store.Configuration(
      path: directory.path + "/s", models: [SeedModels.Names.self])
    configuration.compaction = .off
    let fixed = configuration
    let failures = Lock<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 3) { thread in
      for round in 0..<60 {
        do {
          let store = try Store(configuration: fixed)
          do {
            try store.write { try $0.put(SeedModels.Names(id: thread, age: round)) }
          } catch StoreError.log(.closed) {}  // Another thread shared it, and closed it.
          try store.close()
        } catch { failures.withLock { $0.append("\(thread), \(round): \(error)") } }
      }
    }
    #expect(failures.withLock { $0 } == [])
  }

  @Test("A store whose closing fails can be opened again")
  func failingClose() throws {
    let identifier = "closing-\(UUID())"
    let configuration = Store.Configuration(
      inMemoryIdentifier: identifier, models: [SeedModels.Names.self])
    let first = try Store(configuration: configuration)
    struct Stop: Error {}
    #expect(throws: StoreError.self) {
      try OpenStores.shared.closing(first.log) { () throws(StoreError) in
        try first.close(first.log)
        throw .copyFailed(path: "", reason: "made up")
      }
    }
    let second = try Store(configuration: configuration)
    try second.write { try $0.put(SeedModels.Names(id: 1)) }
    try second.close()
  }
}

extension Store {
  fileprivate func close(_ log: Log) throws(StoreError) {
    try StoreError.log { () throws(LogError) in try log.close() }
  }
}
