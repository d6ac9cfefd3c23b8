import FileIO
import LogStore
import ObjectStore
import StorageTestSupport
import Testing

@testable import LogStoreCommands

@Suite("Objects that nothing describes are told of wherever all objects are promised (P6)")
struct UndescribedObjectsTests {
  private static let sentence = "collection 9 holds 2 records that nothing describes"
  let bench: CommandBench

  init() throws { bench = try CommandBench() }

  /// A store as after a salvage that found the objects of a type, and neither the description of
  /// the type nor its copy.
  private func makeStore() throws {
    bench.makeReadings(count: 3)
    let log = try Log.open(at: bench.store)
    for key: UInt8 in [7, 8, 8] {
      try log.put([key], in: CollectionIdentifier(9), schemaVersion: 0, payload: [1, 2, 3])
    }
    try log.close()
  }

  @Test("dump prints what it can, names them, and ends with 2")
  func dump() throws {
    bench.makeReadings(count: 3)
    let history = try bench.history("")
    let whole = bench.run("dump STORE")
    #expect(whole.status == 0 && whole.errors == "")
    try makeStore()
    for options in ["", " --history \(history)"] {
      let outcome = bench.run("dump STORE" + options)
      #expect(outcome.status == 2, "\(outcome)")
      #expect(outcome.output == whole.output)
      #expect(outcome.errors.hasPrefix("Error: \(Self.sentence)"), "\(outcome.errors)")
    }
    let told = bench.run("dump STORE --json")
    #expect(told.status == 2)
    #expect(told.output == whole.output)
    #expect(try told.error()["type"] == .text("collection 9"))
    #expect(try told.error()["records"] == .integer(2))
    #expect(try told.error()["exitCode"] == .integer(2))
    // Who asks for one type has all of it.
    let one = bench.run("dump STORE --type Reading")
    #expect(one.status == 0 && one.errors == "" && one.output == whole.output)
  }

  @Test("They are told of also where no file can be opened any more, as for sizes in statistics")
  func withoutFiles() throws {
    try makeStore()
    let fails = Lock(false)
    let observed = ObservedFileSystem(POSIXFileSystem()) { call throws(FileIOError) in
      guard case .open(let name) = call, fails.withLock({ fails in fails }) else { return }
      throw FileIOError(.permissionDenied, operation: "open", path: "\(name)")
    }
    let store = try Store.open(at: bench.store, configuration: .inspection, fileSystem: observed)
    fails.withLock { fails in fails = true }
    #expect(throws: StoreError.self) { _ = try store.statistics() }
    let lost = [UndescribedObjects(type: "collection 9", count: 2)]
    #expect(UndescribedObjects.all(in: store) == lost)
    #expect(RemovedObjects.all(in: store).isEmpty)
    #expect(MixedObjects.all(of: store.sortedTypes, in: store).isEmpty)
    fails.withLock { fails in fails = false }
    #expect(try UndescribedObjects.all(in: store.statistics()) == lost)
    try store.close()
  }

  @Test("compact keeps and names them, as verify does")
  func compact() throws {
    try makeStore()
    #expect(bench.run("verify STORE").output.contains("UNREADABLE: \(Self.sentence)"))
    for options in [" --dry-run", ""] {
      let outcome = bench.run("compact STORE" + options)
      #expect(outcome.status == 0, "\(outcome)")
      #expect(outcome.output.contains("Kept as stored: \(Self.sentence)"), "\(outcome.output)")
    }
    for options in [" --dry-run", ""] {
      let report = try bench.run("compact STORE --json" + options).report()
      guard case .list(let objects)? = report["undescribed"] else {
        Issue.record("undescribed must be a list")
        return
      }
      #expect(objects.map { $0["type"] } == [.text("collection 9")])
      #expect(objects.map { $0["records"] } == [.integer(2)])
    }
    #expect(bench.run("dump STORE").status == 2)
  }
}
