import BinaryCoding
import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Runs of which some segments are gone, beneath newer changes of the very keys that a walk waits
/// at, with keys of any length, and with pages that turn out damaged on the way.
@Suite("Walks that wait where segments are gone show what there is")
struct PassedKeysModelTests {
  private static let keyCount = 900

  /// Short keys, keys that fill a page with a few others, and some between.
  private static func key(_ number: Int) -> [UInt8] {
    let tail = number % 3 == 0 ? 0 : number % 7 == 0 ? 900 : number % 40
    return TestLog.key(number) + [UInt8](repeating: UInt8(number % 256), count: tail)
  }

  private static func open(
    _ fileSystem: any FileSystem, _ readMode: LogConfiguration.ReadMode
  ) throws(LogError) -> Log {
    var configuration = TestLog.configuration
    configuration.maintenance = .none
    configuration.readMode = readMode
    configuration.segmentByteCountMinimum = 1 << 20
    configuration.segmentByteCountMaximum = 1 << 20
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  private static func put(
    _ number: Int, _ part: Int, _ log: Log, _ model: inout WalkModel
  ) throws {
    let payload = [UInt8(number % 251), UInt8(part)]
    try log.put(key(number), in: TestLog.people, schemaVersion: 0, payload: payload)
    model.payloads[key(number)] = payload
  }

  /// Four segments with rows of keys, merged, of which some were rewritten then; behind them
  /// changes of every kind of key, half of them sealed.
  private static func log(
    _ fileSystem: any FileSystem, seed: UInt64, _ readMode: LogConfiguration.ReadMode
  ) throws -> (log: Log, model: WalkModel) {
    let log = try open(fileSystem, readMode)
    var generator = SeededGenerator(seed: seed)
    var model = WalkModel()
    let row = [20, 90, 300].randomElement(using: &generator) ?? 20
    for part in 0..<4 {
      for number in 0..<keyCount where number / row % 4 == part {
        try put(number, part, log, &model)
      }
      try log.sealActiveSegment()
    }
    try log.mergeIndexes()
    let merged = try log.statistics().segments.filter { !$0.isActive }.map(\.identifier)
    for segment in merged where segment == merged[0] || Bool.random(using: &generator) {
      let rewrite = try log.beginRewrite(of: [segment])
      while let record = try rewrite.next() { try rewrite.keep(record) }
      try rewrite.publish()
    }
    for step in 0..<240 {
      let number = Int.random(in: 0..<keyCount, using: &generator)
      if step % 3 == 0 {
        try log.delete(key(number), in: TestLog.people)
        model.payloads[key(number)] = nil
      } else {
        try put(number, 9, log, &model)
      }
      if step == 120 { try log.sealActiveSegment() }
    }
    return (log, model)
  }

  private static func expectAll(
    _ log: Log, _ model: WalkModel, seed: UInt64
  ) throws {
    let snapshot = log.snapshot()
    for order in KeyOrder.allCases {
      let cursor = try snapshot.records(in: TestLog.people, order: order)
      for start in stride(from: 0, through: keyCount, by: 211) {
        try cursor.seek(to: key(start))
        let expected = model.records(.all, order, seeking: key(start))
        let found = try WalkModel.rest(of: cursor)
        if found != expected { Issue.record("seed \(seed), \(order) from \(start)") }
      }
      for low in stride(from: 0, to: keyCount, by: 397) {
        let keys = KeyRange(from: .excluding(key(low)), to: .including(key(low + 140)))
        let found = try WalkModel.rest(
          of: snapshot.records(in: TestLog.people, keys: keys, order: order))
        if found != model.records(keys, order) { Issue.record("seed \(seed), \(order) \(low)") }
      }
    }
  }

  @Test(
    "Newer versions and tombstones of keys that are passed hide them, whatever their length",
    arguments: UInt64(1)...5, [LogConfiguration.ReadMode.mapped, .buffered])
  func newer(seed: UInt64, readMode: LogConfiguration.ReadMode) throws {
    let (log, model) = try Self.log(InMemoryFileSystem(), seed: seed, readMode)
    try Self.expectAll(log, model, seed: seed)
    try log.close()
  }

  @Test("P6: a page that is damaged behind such keys costs time only", arguments: UInt64(1)...3)
  func damaged(seed: UInt64) throws {
    let fileSystem = SimulatedFileSystem()
    let (log, model) = try Self.log(fileSystem, seed: seed, .buffered)
    try log.close()
    let name = try #require(
      fileSystem.snapshotOfFiles(in: "/store").first { $0.key.hasPrefix("index-") })
    for place in stride(from: 100, to: name.value.count, by: name.value.count / 5) {
      fileSystem.flipBit(2, of: name.key, in: "/store", at: place)
      let harmed = try Self.open(fileSystem, .buffered)
      try Self.expectAll(harmed, model, seed: seed)
      try harmed.close()
      fileSystem.flipBit(2, of: name.key, in: "/store", at: place)
    }
  }
}
