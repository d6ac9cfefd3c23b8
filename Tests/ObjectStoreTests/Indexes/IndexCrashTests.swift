import FileIO
import ObjectStore
import StorageTestSupport
import Testing

@Suite("A crash at any write leaves indexes that answer as a scan does")
struct IndexCrashTests {
  /// A life of a store: objects under version 0, an upgrade, an index that is built, changes.
  static func live(
    on fileSystem: SimulatedFileSystem, seed: UInt64
  ) throws {
    var generator = SeededGenerator(seed: seed)
    for version in [0, 2] {
      let store = try IndexMigrationTests.open(version, fileSystem)
      for step in 0..<5 {
        try IndexMigrationTests.change(store, version, using: &generator)
        if step == 2 { try store.buildIndexes() }
      }
      try store.compact()
      try store.close()
    }
  }

  @Test("Every crash point of a life with a schema change and a build of indexes")
  func everyWrite() throws {
    let whole = SimulatedFileSystem()
    whole.recordCrashPoints()
    try Self.live(on: whole, seed: 3)
    var problems: [String] = []
    var stateCount = 0
    for point in whole.crashPoints {
      for choice in point.cornerChoices {
        let found = point.afterCrash(choice)
        stateCount += 1
        do {
          let store = try IndexMigrationTests.open(2, found)
          problems += try IndexMigrationTests.mismatches(store, 2).map { "\(point): \($0)" }
          try store.buildIndexes()
          problems += try IndexMigrationTests.mismatches(store, 2).map { "built \(point): \($0)" }
          try store.close()
        } catch { problems.append("\(point) \(choice): \(error)") }
      }
    }
    #expect(problems.isEmpty, "\(problems.count) of \(stateCount), first \(problems.first ?? "")")
    #expect(stateCount > 100)
  }
}
