import FileIO
import ObjectStore
import Testing

/// A step that throws for one record in a thousand harms that record only.
@Suite struct FailingStepTests {
  struct Malformed: Error {}

  static let base = Base(0) {
    Type("Reading", key: "id") {
      Field("id", .int64)
      Field("text", .string)
    }
  }

  static let original = SchemaHistory { base }
  static let failing = SchemaHistory {
    base
    Version(1) {
      On("Reading") {
        Convert("text", to: .int64) { (text: String) throws -> Int64 in
          guard let number = Int64(text) else { throw Malformed() }
          return number
        }
      }
    }
  }
  static let corrected = SchemaHistory {
    base
    Version(1) {
      On("Reading") {
        Convert("text", to: .int64) { (text: String) throws -> Int64 in Int64(text) ?? -1 }
      }
    }
  }

  static func makeStore() throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    let store = try Store.open(
      at: "/readings", history: original, configuration: .quiet, fileSystem: fileSystem)
    try store.write { transaction in
      for id in 0..<3000 {
        let text = id % 1000 == 500 ? "broken" : "\(id * 2)"
        try transaction.put(
          transaction.makeObject(
            ofType: "Reading", ["id": .int(Int64(id)), "text": .string(text)]))
      }
    }
    try store.close()
    return fileSystem
  }

  /// All objects, and the errors of those that cannot be read.
  static func scan(_ store: Store) throws -> (texts: [Int: Value], errors: [StoreError]) {
    let cursor = try store.snapshot().objects(ofType: "Reading")
    var texts: [Int: Value] = [:]
    var errors: [StoreError] = []
    while true {
      do throws(StoreError) {
        guard let object = try cursor.next() else { return (texts, errors) }
        if case .int(let id) = object.key { texts[Int(id)] = object["text"] }
      } catch {
        errors.append(error)
      }
    }
  }

  @Test(
    "R19, H3: the other records read, and the failing one is named with type, key, version, step")
  func othersReadAndTheFailingOneIsNamed() throws {
    let store = try Store.open(
      at: "/readings", history: Self.failing, configuration: .quiet,
      fileSystem: try Self.makeStore())
    let found = try Self.scan(store)
    #expect(found.texts.count == 2997)
    #expect(found.texts[7] == .int(14))
    #expect(found.errors.count == 3)
    guard
      case .schema(.migrationFailed(let type, let key, let version, let step, _))? =
        found.errors.first
    else {
      Issue.record("\(found.errors)")
      return
    }
    #expect(type == "Reading")
    #expect(key == "500")
    #expect(version == 0)
    #expect(step == "v1/Reading/1")
    #expect(throws: StoreError.self) {
      try store.snapshot().object(ofType: "Reading", key: .int(500))
    }
    #expect(!"\(found.errors[0])".contains("broken"), "values never appear in errors")
    try store.close()
  }

  @Test("R19, P19: compaction keeps the old bytes, and a corrected history heals the record")
  func compactionKeepsTheOldBytesAndACorrectedHistoryHeals() throws {
    let fileSystem = try Self.makeStore()
    var store = try Store.open(
      at: "/readings", history: Self.failing, configuration: .quiet, fileSystem: fileSystem)
    let report = try store.compact()
    #expect(report.failedCount == 3)
    #expect(report.upgradedCount == 2997)
    #expect(try Self.scan(store).errors.count == 3)
    try store.close()

    let asStored = try Store.open(
      at: "/readings", configuration: .readOnly, fileSystem: fileSystem)
    let kept = try asStored.snapshot().object(ofType: "Reading", key: .int(1500))
    #expect(kept?["text"] == .string("broken"))
    try asStored.close()

    store = try Store.open(
      at: "/readings", history: Self.corrected, configuration: .quiet, fileSystem: fileSystem)
    let healed = try Self.scan(store)
    #expect(healed.errors.isEmpty)
    #expect(healed.texts[500] == .int(-1))
    #expect(try store.compact().upgradedCount == 3)
    #expect(try store.statistics().types.map(\.version) == [1])
    try store.close()
  }

  @Test("R1, R2: opening runs no step and writes nothing, whatever the steps are")
  func openingAgainWritesNothing() throws {
    let fileSystem = try Self.makeStore()
    let directory = try fileSystem.openDirectory(at: "/readings", create: false)
    func files() throws -> [String: [UInt8]] {
      var found: [String: [UInt8]] = [:]
      for text in try directory.list() {
        let file = try directory.open(try #require(FileName(text)), .read)
        var bytes = [UInt8](repeating: 0, count: Int(try file.size()))
        _ = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
        found[text] = bytes
      }
      return found
    }
    let before = try files()
    try #require(before.count > 1)
    for history in [Self.original, Self.failing, Self.corrected] {
      let store = try Store.open(
        at: "/readings", history: history, configuration: .quiet, fileSystem: fileSystem)
      #expect(store.recoveryReport.replayedRecordCount == 0)
      #expect(store.storedSchemas.keys.sorted() == [0])
      try store.close()
      #expect(try files() == before)
    }
    // Nothing to upgrade, nothing that could fail.
    try Store.open(
      at: "/new", history: Self.failing, configuration: .quiet, fileSystem: fileSystem
    ).close()
  }
}
