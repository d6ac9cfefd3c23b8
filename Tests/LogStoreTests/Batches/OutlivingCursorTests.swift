import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Cursors and snapshots of a transaction that was written to disk as it grew, kept beyond its end.
@Suite("Cursors and snapshots of a large transaction outlive it, whatever becomes of it")
struct OutlivingCursorTests {
  enum Fate: CaseIterable, Sendable { case commits, givenUp }

  /// What was made in a transaction at one moment, and what it must show.
  private struct Kept {
    let cursor: RecordCursor
    let snapshot: TransactionSnapshot
    /// What the cursor gave before the transaction went on.
    let begun: [(key: [UInt8], record: StoredRecord)]
    let order: KeyOrder
    let model: WalkModel

    init(_ transaction: Transaction, _ model: WalkModel, _ order: KeyOrder) throws {
      self.model = model
      self.order = order
      cursor = try transaction.records(in: TestLog.people, order: order)
      snapshot = transaction.snapshot()
      var begun: [(key: [UInt8], record: StoredRecord)] = []
      for _ in 0..<7 { if let next = try cursor.next() { begun.append(next) } }
      self.begun = begun
    }

    func check() throws {
      let expected = model.records(.all, order)
      #expect(begun.map(\.record.payload) == expected.prefix(7).map(\.payload))
      let rest = try WalkModel.rest(of: cursor)
      #expect(rest == Array(expected.dropFirst(7)))
      for number in 0..<60 {
        let found = try snapshot.record(for: TestLog.key(number), in: TestLog.people)?.payload
        if found != model.payloads[TestLog.key(number)] { Issue.record("key \(number)") }
      }
      let again = try snapshot.records(in: TestLog.people, order: order)
      #expect(try WalkModel.rest(of: again) == expected)
    }
  }

  private static func open(
    _ fileSystem: any FileSystem, _ readMode: LogConfiguration.ReadMode
  ) throws(LogError) -> Log {
    var configuration = TestLog.configuration
    configuration.transactionByteCountInMemory = 1 << 10
    configuration.readMode = readMode
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  /// 300 changes over several segments; something is kept after each 23rd.
  private static func change(
    _ log: Log, _ fate: Fate, seed: UInt64, _ kept: inout [Kept]
  ) throws -> WalkModel {
    var generator = SeededGenerator(seed: seed)
    let before = WalkModel(payloads: try TestLog.contents(log))
    var model = before
    var made: [Kept] = []
    do {
      try log.transact { transaction in
        for step in 0..<300 {
          let key = TestLog.key(Int.random(in: 0..<60, using: &generator))
          if Int.random(in: 0..<5, using: &generator) == 0 {
            try transaction.delete(key, in: TestLog.people)
            model.payloads[key] = nil
          } else {
            let payload = [UInt8](repeating: UInt8(step % 251), count: step % 150)
            try transaction.put(key, in: TestLog.people, schemaVersion: 1, payload: payload)
            model.payloads[key] = payload
          }
          guard step % 23 == 0 else { continue }
          made.append(
            try Kept(transaction, model, step.isMultiple(of: 2) ? .ascending : .descending))
        }
        if fate == .givenUp { throw CaseFailure("given up") }
      }
    } catch is CaseFailure {}
    kept += made
    return fate == .commits ? model : before
  }

  @Test(
    "P1: they show what they were made of behind further commits and compaction",
    arguments: Fate.allCases, [LogConfiguration.ReadMode.mapped, .buffered])
  func outlive(fate: Fate, readMode: LogConfiguration.ReadMode) throws {
    for seed in UInt64(1)...3 {
      let fileSystem = SimulatedFileSystem()
      let log = try Self.open(fileSystem, readMode)
      try TestLog.put(0..<40, log)
      var kept: [Kept] = []
      var model = WalkModel()
      for round in UInt64(0)..<3 {
        model = try Self.change(log, fate, seed: 10 * seed + round, &kept)
        #expect(try TestLog.contents(log) == model.payloads, "seed \(seed)")
        try ManifestRebuildingTests.rewriteAll(log)
      }
      try TestLog.put(100..<140, log)
      for kept in kept { try kept.check() }
      kept = []
      try log.sealActiveSegment()
      let listed = try log.statistics().segments.map {
        StoreDirectory.segment($0.identifier).description
      }
      let files = fileSystem.snapshotOfFiles(in: "/store").keys.filter { $0.hasPrefix("segment-") }
      #expect(Set(files) == Set(listed), "seed \(seed)")
      model.payloads.merge(TestLog.expected(100..<140)) { $1 }
      #expect(try TestLog.contents(log) == model.payloads, "seed \(seed)")
      try log.close()
    }
  }
}
