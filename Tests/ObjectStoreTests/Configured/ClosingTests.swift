import FileIO
import Foundation
import StorageTestSupport
import Testing

@testable import LogStore
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

  @Test("R11: two blocks that open each other's stores get an error, no deadlock")
  func crossing() throws {
    let directory = try TemporaryDirectory()
    func configuration(_ name: String, _ version: UInt64) -> Store.Configuration {
      var configuration = Store.Configuration(
        path: directory.path + "/" + name, models: [SeedModels.Names.self], schemaVersion: version)
      configuration.compaction = .off
      return configuration
    }
    for name in ["a", "b"] {
      let store = try Store(configuration: configuration(name, 0))
      try store.write { try $0.put(SeedModels.Names(id: 1)) }
      try store.close()
    }
    let inside = DispatchGroup()
    let done = DispatchGroup()
    let refused = Lock(0)
    for _ in 0..<2 { inside.enter() }
    for (name, other) in [("a", "b"), ("b", "a")] {
      var outer = configuration(name, 1)
      let inner = configuration(other, 1)
      outer.migrationBlock = { _, _ in
        inside.leave()
        inside.wait()
        _ = try Store(configuration: inner)
      }
      let fixed = outer
      DispatchQueue.global().async(group: done) {
        do { _ = try Store(configuration: fixed) } catch StoreError.openedByAnotherOpening {
          refused.withLock { $0 += 1 }
        } catch { Issue.record(error) }
      }
    }
    #expect(done.wait(timeout: .now() + 120) == .success, "they wait for each other")
    #expect(refused.withLock { $0 } >= 1)
  }

  @Test("R9: a store that is being let go is waited for, and not in use by this very process")
  func lettingGo() throws {
    let directory = try TemporaryDirectory()
    var configuration = Store.Configuration(
      path: directory.path + "/s", models: [SeedModels.Names.self])
    configuration.compaction = .off
    let fixed = configuration
    var store: Store? = try Store(configuration: fixed)
    try store?.write { try $0.put(SeedModels.Names(id: 1)) }
    weak let lease = store?.lease
    // As a step of compaction does until it has ended.
    let gate = WorkerGate(try #require(store?.compaction.worker))
    let held = Lock(store)
    store = nil
    let failures = Threads.run(3) { thread in
      switch thread {
      case 0:
        var last = held.withLock { $0.take() }
        withExtendedLifetime(last) {}
        last = nil
      case 1:
        Thread.sleep(forTimeInterval: 1.5)
        gate.open()
      default:
        while lease != nil { usleep(1000) }
        let again = try Store(configuration: fixed)
        let object = try again.snapshot().get(SeedModels.Names.self, 1)
        #expect(object != nil)
        try again.close()
      }
    }
    #expect(failures == [])
  }

  @Test("R9: it is waited for while threads of its log end, too")
  func lettingGoOfLog() throws {
    let directory = try TemporaryDirectory()
    var configuration = Store.Configuration(
      path: directory.path + "/s", models: [SeedModels.Names.self])
    configuration.compaction = .off
    let fixed = configuration
    var store: Store? = try Store(configuration: fixed)
    weak let log = store?.log
    let gate = WorkerGate(try #require(store?.log.pipeline.commitWorker))
    let held = Lock(store)
    store = nil
    let failures = Threads.run(3) { thread in
      switch thread {
      case 0: _ = held.withLock { $0.take() }
      case 1:
        Thread.sleep(forTimeInterval: 1.5)
        gate.open()
      default:
        while log != nil { usleep(1000) }
        try Store(configuration: fixed).close()
      }
    }
    #expect(failures == [])
  }

  @Test("R9: who keeps the compaction of a store that was let go holds nobody up that opens it")
  func compactionKept() throws {
    for isReadOnly in [false, true] {
      let directory = try TemporaryDirectory()
      var configuration = Store.Configuration(
        path: directory.path + "/s", models: [SeedModels.Names.self])
      configuration.compaction = .off
      try Store(configuration: configuration).close()
      configuration = try Store.Configuration(
        path: directory.path + "/s", models: [SeedModels.Names.self], readOnly: isReadOnly)
      configuration.compaction = .off
      var store: Store? = try Store(configuration: configuration)
      let kept = store?.compaction
      store = nil
      let start = ContinuousClock.now
      do throws(StoreError) {
        let again = try Store(configuration: configuration)
        #expect(isReadOnly)
        try again.close()
      } catch {
        guard !isReadOnly, case .log(.storeIsInUse) = error else { throw error }
      }
      // Much more than it takes, and much less than a compaction is waited for.
      #expect(.now - start < .seconds(30), "read-only: \(isReadOnly)")
      withExtendedLifetime(kept) {}
    }
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
