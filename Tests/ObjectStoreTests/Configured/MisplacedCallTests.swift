import Foundation
import StorageTestSupport
import Testing

@testable import ObjectStore

@Suite("What is wrong with the calls of a migration block for one object")
struct MisplacedCallTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// Five people of an older version; the block for it makes a misplaced call for that of age 2.
  private func open(
    _ policy: FailurePolicy, _ body: @escaping @Sendable (Int) -> Void = { _ in }
  ) throws -> Store {
    let path = directory.path + "/people"
    var configuration = Store.Configuration(path: path, models: [SeedModels.Names.self])
    configuration.compaction = .off
    var store = try Store(configuration: configuration)
    try store.write { transaction in
      for id in 0..<5 { try transaction.put(SeedModels.Names(id: id, firstName: "f", age: id)) }
    }
    try store.close()
    configuration = Store.Configuration(
      path: path, models: [SeedModels.FullName.self], schemaVersion: 1,
      migrationBlock: { migration, _ in
        migration.enumerateObjects(ofType: "Person") { old, new in
          let age = old?["age"] as? Int ?? 0
          if age == 2, let new { migration.delete(new) }
          body(age)
          new?["fullName"] = old?["firstName"]
        }
      })
    configuration.compaction = .off
    configuration.settings.failurePolicies["Person"] = policy
    store = try Store(configuration: configuration)
    return store
  }

  @Test("P19: a misplaced call fails the object that it is for, and no other, whichever was first")
  func oneObject() throws {
    let store = try open(.thrown)
    let snapshot = store.snapshot()
    for id in [4, 2, 4, 2, 0, 1, 3] {
      guard id == 2 else {
        #expect(try snapshot.get(SeedModels.FullName.self, id)?.fullName == "f", "\(id)")
        continue
      }
      #expect {
        try snapshot.get(SeedModels.FullName.self, id)
      } throws: { error in
        "\(error)".contains("delete")
      }
    }
    try store.close()
  }

  @Test("P19, R19: a walk passes over the object of a misplaced call, and over no other")
  func skipped() throws {
    let store = try open(.skipped)
    for _ in 0..<2 {
      let cursor = try store.snapshot().objects(SeedModels.FullName.self)
      var found: [Int] = []
      while let person = try cursor.next() { found.append(person.id) }
      #expect(found == [0, 1, 3, 4])
      #expect(cursor.skippedCount == 1)
    }
    try store.close()
  }

  @Test("P19, R19: a fallback stands in for the object of a misplaced call, and for no other")
  func fallback() throws {
    let store = try open(
      .fallback { failed in ["fullName": "made up", "age": failed.members["age"] ?? .null] })
    for _ in 0..<2 {
      let cursor = try store.snapshot().objects(SeedModels.FullName.self)
      var found: [String] = []
      while let person = try cursor.next() { found.append(person.fullName) }
      #expect(found == ["f", "f", "made up", "f", "f"])
    }
    try store.close()
  }

  private struct WrongRead: Error { var of: SeedModels.FullName? }

  @Test("P19: what is wrong in one thread is not taken for what another thread reads meanwhile")
  func otherThreads() throws {
    let isWrong = DispatchSemaphore(value: 0)
    let isRead = DispatchSemaphore(value: 0)
    let store = try open(.thrown) { age in
      guard age == 2 else { return }
      isWrong.signal()
      isRead.wait()
    }
    let snapshot = store.snapshot()
    let failures = Threads.run(2) { thread in
      if thread == 0 {
        if let read = try? snapshot.get(SeedModels.FullName.self, 2) { throw WrongRead(of: read) }
        return
      }
      isWrong.wait()
      defer { isRead.signal() }
      let read = try snapshot.get(SeedModels.FullName.self, 3)
      if read?.fullName != "f" { throw WrongRead(of: read) }
    }
    #expect(failures == [])
    try store.close()
  }
}
