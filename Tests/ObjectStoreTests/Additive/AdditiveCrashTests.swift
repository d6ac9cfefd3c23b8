import FileIO
import ObjectStore
import StorageTestSupport
import Testing

/// An app that adds to the schema of another is cut off at any write: neither loses anything.
@Suite struct AdditiveCrashTests {
  static let older = [ClientModel.Member(name: "a", type: .string, initial: "")]
  static let newer = [ClientModel.Member(name: "b", type: .int64, initial: 5)]

  static let configuration: StoreConfiguration = {
    var configuration = StoreConfiguration.quiet
    configuration.log.maintenance = .inline
    configuration.log.readMode = .buffered
    configuration.log.segmentByteCountMinimum = 2 << 10
    configuration.log.segmentByteCountMaximum = 2 << 10
    configuration.log.diskReserveByteCountMaximum = 0
    return configuration
  }()

  static func open(
    _ fileSystem: any FileSystem, _ members: [ClientModel.Member],
    _ configuration: StoreConfiguration = configuration, _ body: (Store) throws -> Void
  ) throws {
    try ClientModel.$members.withValue(members) {
      let store = try Store.open(
        at: "/s", models: [ClientModel.self], evolution: .additive, configuration: configuration,
        fileSystem: fileSystem)
      try body(store)
      try store.close()
    }
  }

  /// How many of the newer app's transactions are there; every one as a whole.
  static func check(_ fileSystem: any FileSystem) throws -> Int {
    var configuration = StoreConfiguration.readOnly
    configuration.log.readMode = .buffered
    var written: Set<Int64> = []
    try open(fileSystem, older + newer, configuration) { store in
      for key in 0..<20 as Range<Int64> {
        let object = try store.snapshot().get(ClientModel.self, Int(key))
        guard let object, object.values["a"] == .string("a\(key)") else {
          throw CaseFailure("\(key) lost what the older app wrote")
        }
        if object.values["b"] == .int(key + 100) {
          written.insert(key)
        } else {
          guard object.values["b"] == 5 else { throw CaseFailure("\(key) has another value") }
        }
      }
    }
    switch written {
    case []: return 0
    case Set(0..<10): return 1
    case Set(0..<20): return 2
    default: throw CaseFailure("a part of a transaction: \(written.sorted())")
    }
  }

  @Test(
    "Additive, P1: cut off at any write, what other apps wrote is there, and the store grows on")
  func everyCrash() throws {
    let start = SimulatedFileSystem()
    try Self.open(start, Self.older) { store in
      try store.write { transaction in
        for key in 0..<20 as Range<Int64> {
          try transaction.put(ClientModel(["id": .int(key), "a": .string("a\(key)")]))
        }
      }
    }
    let fileSystem = SimulatedFileSystem(files: start.snapshotOfFiles(in: "/s"), in: "/s")
    fileSystem.recordCrashPoints()
    try Self.open(fileSystem, Self.newer) { store in
      for half in [0..<10, 10..<20] as [Range<Int64>] {
        try store.write { transaction in
          for key in half {
            try transaction.put(ClientModel(["id": .int(key), "b": .int(key + 100)]))
          }
        }
      }
      _ = try store.compact()
    }
    var counts = [0, 0, 0]
    for point in fileSystem.crashPoints {
      for choice in point.choices(exhaustiveUnitCount: 3, randomCount: 2) {
        do {
          let crashed = point.afterCrash(choice)
          counts[try Self.check(crashed)] += 1
          if counts.reduce(0, +) % 7 == 0 {
            try Self.open(crashed, Self.newer) { store in
              try store.write { transaction in
                for key in 0..<20 as Range<Int64> {
                  try transaction.put(ClientModel(["id": .int(key), "b": .int(key + 100)]))
                }
              }
            }
            guard try Self.check(crashed) == 2 else { throw CaseFailure("it did not go on") }
          }
        } catch {
          Issue.record("\(point), \(choice): \(error)")
          return
        }
      }
    }
    print("crash states of a store that grows: \(counts) with 0, 1, 2 transactions")
    #expect(counts.allSatisfy { $0 > 0 })
    #expect(counts.reduce(0, +) > 100)
  }
}
