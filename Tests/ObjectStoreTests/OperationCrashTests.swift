import FileIO
import Foundation
import LogStore
import ObjectStore
import StorageTestSupport
import Testing

/// No operation can lose data: whatever goes wrong while its version is made permanent, the app
/// before it reads the old objects, or the app after it the new ones.
@Suite("Every operation, and everything that can go wrong")
struct OperationCrashTests {
  enum Work: String, CaseIterable {
    case migrate
    case compact
    case put
  }

  /// One state in so many is looked at; long runs set `LOGSTORE_CRASH_STRIDE` to 1.
  static let stride = max(
    1,
    ProcessInfo.processInfo.environment["LOGSTORE_CRASH_STRIDE"].flatMap { Int($0) } ?? 8)

  static let configuration: StoreConfiguration = {
    var configuration = BarrierCrashTests.configuration
    configuration.log.segmentByteCountMinimum = 4 << 10
    configuration.log.segmentByteCountMaximum = 4 << 10
    return configuration
  }()

  static func open(
    _ fileSystem: some FileSystem, _ history: SchemaHistory
  ) throws -> Store {
    try Store.open(
      at: "/s", history: history, configuration: configuration, fileSystem: fileSystem)
  }

  /// A store whose objects were all written under `version`.
  static func makeFiles(_ version: Int) throws -> [String: [UInt8]] {
    let fileSystem = SimulatedFileSystem()
    var store = try open(fileSystem, EveryOperationTests.history(through: 0))
    try EveryOperationTests.fill(store, count: 6)
    try store.close()
    store = try open(fileSystem, EveryOperationTests.history(through: version))
    try store.migrate()
    try store.close()
    return fileSystem.snapshotOfFiles(in: "/s")
  }

  static func all(
    _ fileSystem: some FileSystem, _ history: SchemaHistory
  ) throws -> [[String: Value]] {
    let store = try open(fileSystem, history)
    let found = try EveryOperationTests.all(store)
    try store.close()
    return found
  }

  private static func perform(
    _ work: Work, _ fileSystem: some FileSystem, _ history: SchemaHistory
  ) throws {
    let store = try open(fileSystem, history)
    switch work {
    case .migrate: try store.migrate()
    case .compact: try store.compact()
    case .put:
      let type = store.schema.type(named: "Item") == nil ? "Thing" : "Item"
      let cursor = try store.snapshot().objects(ofType: type)
      while let object = try cursor.next() { try store.write { try $0.put(object) } }
    }
    try store.close()
  }

  /// What the apps before and after version `number` read from the same bytes.
  struct Expectation {
    let older: SchemaHistory
    let newer: SchemaHistory
    let old: [[String: Value]]
    let new: [[String: Value]]

    init(_ number: Int, _ files: [String: [UInt8]]) throws {
      older = EveryOperationTests.history(through: number - 1)
      newer = EveryOperationTests.history(through: number)
      let fileSystem = SimulatedFileSystem(files: files, in: "/s")
      old = try OperationCrashTests.all(fileSystem, older)
      new = try OperationCrashTests.all(fileSystem, newer)
    }

    /// What is wrong with a store that something happened to.
    func problem(_ fileSystem: SimulatedFileSystem) -> String? {
      do {
        let stored = try Store.open(
          at: "/s", configuration: OperationCrashTests.configuration, fileSystem: fileSystem)
        let version = stored.schemaVersion
        try stored.close()
        if version < newer.latestVersion, try OperationCrashTests.all(fileSystem, older) != old {
          return "the older app reads other objects"
        }
        return try OperationCrashTests.all(fileSystem, newer) == new
          ? nil : "the newer app reads other objects"
      } catch { return "\(error)" }
    }
  }

  @Test(
    "R36, R39, P1: killed at any write of migrate, compact or put",
    arguments: 1...EveryOperationTests.steps.count)
  func kills(_ number: Int) throws {
    let files = try Self.makeFiles(number - 1)
    let expectation = try Expectation(number, files)
    var failures: [String] = []
    var states = 0
    var lookedAt = 0
    for work in Work.allCases {
      let fileSystem = SimulatedFileSystem(files: files, in: "/s")
      fileSystem.recordCrashPoints()
      try Self.perform(work, fileSystem, expectation.newer)
      for point in fileSystem.crashPoints {
        for choice in point.choices(exhaustiveUnitCount: 1, randomCount: 1) {
          states += 1
          // The versions take turns, so that all of them together look at every kind of state.
          guard (states + number) % Self.stride == 0 else { continue }
          lookedAt += 1
          if let problem = expectation.problem(point.afterCrash(choice)) {
            failures.append("\(work), \(point), \(choice): \(problem)")
          }
        }
      }
    }
    if Self.stride == 1 { print("version \(number): \(states) crash states") }
    #expect(failures == [])
    #expect(states > 30 && lookedAt >= states / Self.stride)
  }

  @Test(
    "R36, R39, P11: a disk that is full from any operation on",
    arguments: 1...EveryOperationTests.steps.count)
  func fullDisks(_ number: Int) throws {
    let files = try Self.makeFiles(number - 1)
    let expectation = try Expectation(number, files)
    var failures: [String] = []
    var refused = 0
    for work in Work.allCases {
      let untouched = SimulatedFileSystem(files: files, in: "/s")
      try Self.perform(work, untouched, expectation.newer)
      for operation in 1...untouched.operationCount
      where (operation + number) % Self.stride == 0 {
        let fileSystem = SimulatedFileSystem(files: files, in: "/s")
        fileSystem.setFaults([FaultPlan(operation: operation, .fail(.noSpace), isPermanent: true)])
        do { try Self.perform(work, fileSystem, expectation.newer) } catch { refused += 1 }
        if fileSystem.firedFaultCount == 0 {
          failures.append("\(work) at \(operation): nothing failed")
        }
        if let problem = expectation.problem(fileSystem.pristineCopy()) {
          failures.append("\(work) at \(operation): \(problem)")
        }
      }
    }
    #expect(failures == [])
    #expect(refused > 0)
  }

  struct Refused: Error {}

  @Test(
    "R19, H3: a step behind it that throws keeps the bytes, and a corrected one reads them",
    arguments: 1...EveryOperationTests.steps.count)
  func throwing(_ number: Int) throws {
    let files = try Self.makeFiles(number - 1)
    let expectation = try Expectation(number, files)
    func history(failing: Bool) -> SchemaHistory {
      let name = number < 23 ? "Thing" : "Item"
      let step = Version(SchemaVersion(UInt64(number + 1))) {
        On(name) {
          Rewrite(revision: failing ? 1 : 2) { old, _ in
            if failing, old["id"] == 2 || old["id"] == 4 { throw Refused() }
            return .keep
          }
        }
      }
      return SchemaHistory(
        base: EveryOperationTests.base, versions: expectation.newer.versions + [step])
    }
    for work in [Work.migrate, .compact] {
      let fileSystem = SimulatedFileSystem(files: files, in: "/s")
      try Self.perform(work, fileSystem, history(failing: true))
      let store = try Self.open(fileSystem, history(failing: true))
      let type = store.schema.types.map(\.name).contains("Item") ? "Item" : "Thing"
      #expect(throws: StoreError.self) { try store.snapshot().object(ofType: type, key: 2) }
      #expect(try store.snapshot().object(ofType: type, key: 1)?.members == expectation.new[1])
      try store.close()
      #expect(try Self.all(fileSystem, history(failing: false)) == expectation.new)
    }
  }

  @Test(
    "R4, R8, H14: an older app, and a history that says something else, change no byte",
    arguments: 1...EveryOperationTests.steps.count)
  func others(_ number: Int) throws {
    let files = try Self.makeFiles(number)
    let fileSystem = SimulatedFileSystem(files: files, in: "/s")
    let newer = EveryOperationTests.history(through: number)
    let expected = try Self.all(fileSystem, newer)
    let before = fileSystem.snapshotOfFiles(in: "/s")
    #expect(
      throws: StoreError.schema(
        .storeIsNewer(
          stored: SchemaVersion(UInt64(number)), requested: SchemaVersion(UInt64(number - 1))))
    ) { try Self.open(fileSystem, EveryOperationTests.history(through: number - 1)) }
    let name = number < 24 ? "Thing" : "Item"
    let wrong = SchemaHistory(
      base: EveryOperationTests.base,
      versions: newer.versions.dropLast() + [
        Version(SchemaVersion(UInt64(number))) {
          On(name) { Add("wrong", .optional(.string)) }
        }
      ])
    #expect(wrong.issues == [])
    #expect(throws: StoreError.self) { try Self.open(fileSystem, wrong) }
    #expect(fileSystem.snapshotOfFiles(in: "/s") == before)
    #expect(try Self.all(fileSystem, newer) == expected)
  }
}
