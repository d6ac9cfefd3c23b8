import FileIO
import Foundation
import StorageTestSupport
import Testing

@testable import ObjectStore

@Suite("What is copied of a seed is a whole store, or nothing is") struct SeedWholenessTests {
  private let directory: TemporaryDirectory
  private let seed: String
  private let target: String
  private let files = FileManager.default

  init() throws {
    directory = try TemporaryDirectory()
    seed = directory.path + "/seed"
    target = directory.path + "/copy"
  }

  private func makeSeed() throws -> Store {
    let store = try Store(
      configuration: Store.Configuration(path: seed, models: [SeedModels.Names.self]))
    try store.write { transaction in
      for id in 0..<500 { try transaction.put(SeedModels.Names(id: id, firstName: "Ada")) }
    }
    return store
  }

  private func open() throws -> Store {
    try Store(
      configuration: Store.Configuration(
        path: target, models: [SeedModels.Names.self], seedFilePath: seed))
  }

  private func expectNothingCopied(
    _ comment: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for path in [target, "\(directory.path)/\(StoreCopy.stagingName)"] {
      #expect(!files.fileExists(atPath: path), "\(comment)", sourceLocation: sourceLocation)
    }
  }

  @Test("P16: a seed that somebody writes is not copied, and once nobody does it is")
  func written() throws {
    let writer = try makeSeed()
    #expect {
      try open().close()
    } throws: { error in
      if case .log(.storeIsInUse(seed, _))? = error as? StoreError { true } else { false }
    }
    expectNothingCopied("while it is written")
    try writer.close()
    // Who reads it is in nobody's way.
    let reader = try Store.open(at: seed, configuration: .readOnly)
    let store = try open()
    #expect(try store.read { try $0.count(SeedModels.Names.self) } == 500)
    try store.close()
    try reader.close()
  }

  @Test("What lies beside a seed and is no part of it is not copied")
  func besides() throws {
    try makeSeed().close()
    // Nor is the room that a writer keeps.
    let expected =
      try files.contentsOfDirectory(atPath: seed).filter { !$0.hasPrefix("RESERVE") } + ["BACKUP"]
    for name in ["README", "MANIFEST.new", "COPY.new", "segment-0000ffff.log", "index-1.run"] {
      try Data("no part of it".utf8).write(to: URL(filePath: "\(seed)/\(name)"))
    }
    try StoreCopy.copy(from: seed, to: target)
    #expect(try files.contentsOfDirectory(atPath: target).sorted() == expected.sorted())
  }

  @Test(
    "P16: of a seed that is no whole store nothing is copied, and the next launch looks again",
    arguments: [
      "a file of another kind", "an unfinished backup", "no segment", "half a segment",
      "a damaged manifest", "half a manifest",
    ])
  func incomplete(_ kind: String) throws {
    try makeSeed().close()
    let whole = directory.path + "/whole"
    try files.copyItem(atPath: seed, toPath: whole)
    let segment = try #require(
      try files.contentsOfDirectory(atPath: seed).first { $0.hasPrefix("segment-") })
    func change(_ name: String, _ body: (inout Data) -> Void) throws {
      var bytes = try Data(contentsOf: URL(filePath: "\(seed)/\(name)"))
      body(&bytes)
      try bytes.write(to: URL(filePath: "\(seed)/\(name)"))
    }
    switch kind {
    case "a file of another kind":
      for name in try files.contentsOfDirectory(atPath: seed) {
        try files.removeItem(atPath: "\(seed)/\(name)")
      }
      try Data("what this is".utf8).write(to: URL(filePath: seed + "/README"))
    case "an unfinished backup": try files.removeItem(atPath: seed + "/MANIFEST")
    case "no segment": try files.removeItem(atPath: "\(seed)/\(segment)")
    case "half a segment": try change(segment) { $0.removeLast($0.count / 2) }
    case "a damaged manifest": try change("MANIFEST") { $0[60] ^= 1 }
    default: try change("MANIFEST") { $0.removeLast($0.count / 2) }
    }
    #expect {
      try open().close()
    } throws: { error in
      guard case .copyFailed(seed, let reason)? = error as? StoreError else { return false }
      return reason.contains("a whole store") && "\(error)".contains(seed)
    }
    expectNothingCopied(kind)
    try files.removeItem(atPath: seed)
    try files.moveItem(atPath: whole, toPath: seed)
    let store = try open()
    #expect(try store.read { try $0.count(SeedModels.Names.self) } == 500)
    try store.close()
  }
}
