import FileIO
import Foundation
import StorageTestSupport
import Testing

@testable import LogStoreCommands

@Suite("A store stays its owner's when root works on it")
struct ForeignOwnerTests {
  private static let nobody = 65534
  private static let isRoot = NSUserName() == "root"

  private func owners(of folder: String) throws -> Set<[Int?]> {
    let files = FileManager.default
    let paths = try files.contentsOfDirectory(atPath: folder).map { folder + "/" + $0 } + [folder]
    return Set(
      try paths.map { path in
        let found = try files.attributesOfItem(atPath: path)
        return [found[.ownerAccountID] as? Int, found[.groupOwnerAccountID] as? Int]
      })
  }

  @Test(
    "Files that compact, import and backup make belong to the owner of their directory",
    .enabled(if: isRoot, "only root may give files away"))
  func commands() throws {
    let bench = try CommandBench()
    for _ in 0..<2 { bench.makeReadings() }
    let out = bench.directory.path + "/out"
    let files = FileManager.default
    try files.createDirectory(atPath: out, withIntermediateDirectories: false)
    let names = try bench.contents().keys.map { bench.store + "/" + $0 }
    for path in names + [bench.store, out] {
      try files.setAttributes(
        [.ownerAccountID: Self.nobody, .groupOwnerAccountID: Self.nobody], ofItemAtPath: path)
    }
    #expect(bench.run("compact STORE").status == 0)
    #expect(try owners(of: bench.store) == [[Self.nobody, Self.nobody]])
    let row = "{\"id\":100,\"text\":\"new\"}\n"
    #expect(bench.run("import STORE --type Reading", input: row).status == 0)
    #expect(try owners(of: bench.store) == [[Self.nobody, Self.nobody]])
    #expect(bench.run(["backup", bench.store, out]).status == 0)
    #expect(try owners(of: out) == [[Self.nobody, Self.nobody]])
    #expect(bench.run("verify STORE").status == 0)
  }
}
