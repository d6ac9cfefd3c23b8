import FileIO
import Foundation
import StorageTestSupport
import Testing

@testable import ObjectStore

@Suite("Copies of a seed") struct SeedCopyTests {
  private static func seed(_ directory: TemporaryDirectory) throws -> String {
    let path = directory.path + "/seed"
    let store = try Store(
      configuration: Store.Configuration(path: path, models: [SeedModels.Names.self]))
    try store.write { transaction in
      for id in 0..<500 { try transaction.put(SeedModels.Names(id: id, firstName: "Ada")) }
    }
    try store.close()
    return path
  }

  /// What is copied of it: all but the room that a writer keeps.
  private static func files(of seed: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: seed).filter { !$0.hasPrefix("RESERVE") }
  }

  @Test("Several that are made at once are one, whole; what a crash left of another is no part")
  func atOnce() throws {
    let directory = try TemporaryDirectory()
    let seed = try Self.seed(directory)
    for round in 0..<20 {
      let target = directory.path + "/copy\(round)"
      let left = "\(directory.path)/\(StoreCopy.stagingName)"
      try FileManager.default.createDirectory(atPath: left, withIntermediateDirectories: true)
      try Data("left".utf8).write(to: URL(filePath: left + "/segment-00000099.log"))
      let failures = Lock<[String]>([])
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        do {
          try StoreCopy.copy(from: seed, to: target)
          let names = try FileManager.default.contentsOfDirectory(atPath: target).sorted()
          let expected = try Self.files(of: seed) + ["BACKUP"]
          if names != expected.sorted() {
            failures.withLock { $0.append("\(names)") }
          }
        } catch { failures.withLock { $0.append("\(error)") } }
      }
      #expect(failures.withLock { $0 } == [])
      #expect(!FileManager.default.fileExists(atPath: left))
    }
  }

  @Test("P19: a copy of a seed removes nothing of somebody else's, whatever that is called")
  func othersStay() throws {
    let directory = try TemporaryDirectory()
    let seed = try Self.seed(directory)
    let target = directory.path + "/copy"
    let other = Store.Configuration(path: target + ".copying", models: [SeedModels.Names.self])
    var store = try Store(configuration: other)
    try store.write { try $0.put(SeedModels.Names(id: 1, firstName: "Grace")) }
    try store.close()
    try StoreCopy.copy(from: seed, to: target)
    store = try Store(configuration: other)
    #expect(try store.snapshot().get(SeedModels.Names.self, 1)?.firstName == "Grace")
    try store.close()
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
    #expect(names.sorted() == ["copy", "copy.copying", "seed"])
  }

  @Test("P16: a copy is its owner's alone, whatever the rights of the seed and the links to it are")
  func rights() throws {
    let directory = try TemporaryDirectory()
    let seed = try Self.seed(directory)
    let files = FileManager.default
    let names = try Self.files(of: seed)
    for name in names {
      try files.setAttributes([.posixPermissions: 0o444], ofItemAtPath: "\(seed)/\(name)")
    }
    try files.setAttributes([.posixPermissions: 0o555], ofItemAtPath: seed)
    defer { try? files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: seed) }
    let link = directory.path + "/link"
    try files.createSymbolicLink(atPath: link, withDestinationPath: seed)
    // Packages of some systems share their files by links.
    let linked = directory.path + "/linked"
    try files.createDirectory(atPath: linked + "/folder", withIntermediateDirectories: true)
    for (number, name) in names.enumerated() {
      if number % 2 == 0 {
        try files.linkItem(atPath: "\(seed)/\(name)", toPath: "\(linked)/\(name)")
      } else {
        try files.createSymbolicLink(
          atPath: "\(linked)/\(name)", withDestinationPath: "\(seed)/\(name)")
      }
    }
    for (number, source) in [seed, link, linked].enumerated() {
      let target = directory.path + "/copy\(number)"
      try StoreCopy.copy(from: source, to: target)
      func mode(_ path: String) throws -> Int? {
        try files.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      }
      #expect(try mode(target) == 0o700)
      for name in names { #expect(try mode("\(target)/\(name)") == 0o600) }
      #expect(
        try files.contentsOfDirectory(atPath: target).sorted() == (names + ["BACKUP"]).sorted())
      let store = try Store(
        configuration: Store.Configuration(path: target, models: [SeedModels.Names.self]))
      #expect(try store.snapshot().get(SeedModels.Names.self, 499)?.firstName == "Ada")
      try store.close()
    }
  }

  @Test("A seed goes where an empty directory is, and nowhere where anything else is")
  func intoADirectory() throws {
    let directory = try TemporaryDirectory()
    let seed = try Self.seed(directory)
    let files = FileManager.default
    let target = directory.path + "/made"
    try files.createDirectory(atPath: target, withIntermediateDirectories: true)
    let configuration = try Store.Configuration(
      path: target, models: [SeedModels.Names.self], seedFilePath: seed)
    let store = try Store(configuration: configuration)
    #expect(try store.snapshot().get(SeedModels.Names.self, 7)?.firstName == "Ada")
    try store.close()
    let other = directory.path + "/other"
    try files.createDirectory(atPath: other, withIntermediateDirectories: true)
    try Data("kept".utf8).write(to: URL(filePath: other + "/notes"))
    try StoreCopy.copy(from: seed, to: other)
    #expect(try files.contentsOfDirectory(atPath: other) == ["notes"])
  }

  @Test("P19: the backup of one copy of a seed is not replaced by that of another")
  func backups() throws {
    let directory = try TemporaryDirectory()
    let seed = try Self.seed(directory)
    func open(_ name: String, from seed: String) throws -> Store {
      var configuration = try Store.Configuration(
        path: directory.path + "/" + name, models: [SeedModels.Names.self], seedFilePath: seed)
      configuration.compaction = .off
      return try Store(configuration: configuration)
    }
    let backup = directory.path + "/backup"
    let (one, other) = (try open("one", from: seed), try open("other", from: seed))
    try one.write { try $0.put(SeedModels.Names(id: 1000)) }
    _ = try one.backup(to: backup)
    // Until no segment of it has the number of one of the backup.
    for _ in 0..<5 {
      try other.write { transaction in
        for id in 0..<500 { try transaction.put(SeedModels.Names(id: id, firstName: "Bea")) }
      }
      _ = try other.compact()
    }
    #expect {
      _ = try other.backup(to: backup)
    } throws: { error in
      guard case .log(.copyRefused)? = error as? StoreError else { return false }
      return true
    }
    try one.write { try $0.put(SeedModels.Names(id: 1001)) }
    _ = try one.backup(to: backup)
    _ = try other.backup(to: directory.path + "/another")
    // Who goes on from a backup, by hand, replaces it.
    let restored = try open("restored", from: backup)
    _ = try restored.backup(to: backup)
    try restored.write { try $0.put(SeedModels.Names(id: 1002)) }
    for _ in 0..<2 { _ = try restored.backup(to: backup) }
    for store in [one, other, restored] { try store.close() }
  }

  @Test("A seed without a file is an error, and no empty store takes its place")
  func nothingToCopy() throws {
    let directory = try TemporaryDirectory()
    let seed = directory.path + "/seed"
    try FileManager.default.createDirectory(
      atPath: seed + "/folder", withIntermediateDirectories: true)
    #expect(throws: StoreError.self) {
      try StoreCopy.copy(from: seed, to: directory.path + "/copy")
    }
    #expect(!FileManager.default.fileExists(atPath: directory.path + "/copy"))
  }

  @Test("R9: a store has one place, whatever links lead to it")
  func links() throws {
    let directory = try TemporaryDirectory()
    let seed = try Self.seed(directory)
    let link = directory.path + "/link"
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: directory.path)
    let first = try Store(
      configuration: Store.Configuration(path: seed, models: [SeedModels.Names.self]))
    let second = try Store(
      configuration: Store.Configuration(path: link + "/seed", models: [SeedModels.Names.self]))
    try second.write { try $0.put(SeedModels.Names(id: 1000)) }
    #expect(try first.snapshot().get(SeedModels.Names.self, 1000) != nil)
    try first.close()
  }

  @Test("A store that is created through a link is found there again, and a seed is copied there")
  func createdThroughALink() throws {
    let directory = try TemporaryDirectory()
    let seed = try Self.seed(directory)
    try FileManager.default.createDirectory(
      atPath: directory.path + "/real", withIntermediateDirectories: true)
    let link = directory.path + "/link"
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: directory.path + "/real")
    for seedPath in [nil, seed] {
      let configuration = try Store.Configuration(
        path: link + (seedPath == nil ? "/new" : "/copied"), models: [SeedModels.Names.self],
        seedFilePath: seedPath)
      let first = try Store(configuration: configuration)
      let second = try Store(configuration: configuration)
      try second.write { try $0.put(SeedModels.Names(id: 1000)) }
      #expect(try first.snapshot().get(SeedModels.Names.self, 1000) != nil)
      #expect(try first.snapshot().get(SeedModels.Names.self, 7) != nil || seedPath == nil)
      try first.close()
    }
    // Of a directory the last part may be the link.
    try StoreCopy.copy(from: seed, to: link + "/again")
    #expect(FileManager.default.fileExists(atPath: directory.path + "/real/again/MANIFEST"))
  }

  @Test("Closing or compacting a store inside a transaction of it ends with a sentence")
  func insideATransaction() async throws {
    let closing = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let store = try Store.open(
        at: "/store", models: [SeedModels.Names.self], evolution: .additive,
        fileSystem: InMemoryFileSystem())
      try store.write { _ in try store.close() }
    }
    let compacting = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let store = try Store.open(
        at: "/store", models: [SeedModels.Names.self], evolution: .additive,
        fileSystem: InMemoryFileSystem())
      try store.write { _ in _ = try store.compact() }
    }
    for (result, purpose) in [(closing, "closing the store"), (compacting, "a compaction")] {
      let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
      #expect(text.contains(purpose + " must not begin inside a transaction"), "\(text)")
    }
  }
}
