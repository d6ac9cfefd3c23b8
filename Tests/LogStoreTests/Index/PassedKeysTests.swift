import BinaryCoding
import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// A run that was merged before its segments were compacted has their keys still, in long rows.
@Suite("Walks wait where a run has only keys whose segments are gone")
struct PassedKeysTests {
  private static let count = 1200

  /// A log of three segments whose indexes were merged, of which those in `replaced` were rewritten
  /// then; keys are spread over the segments in rows.
  private static func log(
    replacing replaced: Set<Int>, _ readMode: LogConfiguration.ReadMode = .mapped
  ) throws -> (log: Log, model: WalkModel) {
    var configuration = TestLog.configuration
    configuration.maintenance = .none
    configuration.readMode = readMode
    configuration.segmentByteCountMinimum = 1 << 20
    configuration.segmentByteCountMaximum = 1 << 20
    let log = try Log.open(
      at: "/store", configuration: configuration, fileSystem: InMemoryFileSystem())
    var model = WalkModel()
    for part in 0..<3 {
      for number in 0..<count where number / 200 % 3 == part {
        let payload = [UInt8(number % 251), UInt8(part)]
        try log.put(TestLog.key(number), in: TestLog.people, schemaVersion: 0, payload: payload)
        model.payloads[TestLog.key(number)] = payload
      }
      try log.sealActiveSegment()
    }
    try log.mergeIndexes()
    let sealed = try log.statistics().segments.filter { !$0.isActive }.map(\.identifier)
    try #require(sealed.count == 3)
    for index in replaced.sorted() {
      let rewrite = try log.beginRewrite(of: [sealed[index]])
      while let record = try rewrite.next() { try rewrite.keep(record) }
      try rewrite.publish()
    }
    return (log, model)
  }

  @Test(
    "They show what there is, from anywhere, either way, within any bounds",
    arguments: [[0], [1], [0, 1], [0, 2], [0, 1, 2]], [LogConfiguration.ReadMode.mapped, .buffered])
  func walks(replaced: [Int], readMode: LogConfiguration.ReadMode) throws {
    let (log, model) = try Self.log(replacing: Set(replaced), readMode)
    let snapshot = log.snapshot()
    let edges = [0, 1, 16, 199, 200, 400, 777, 1200]
    for order in [KeyOrder.ascending, .descending] {
      for low in edges {
        for high in edges where low <= high {
          let keys = KeyRange(
            from: .including(TestLog.key(low)), to: .excluding(TestLog.key(high)))
          let cursor = try snapshot.records(in: TestLog.people, keys: keys, order: order)
          #expect(try WalkModel.rest(of: cursor) == model.records(keys, order), "\(low) \(high)")
        }
        let cursor = try snapshot.records(in: TestLog.people, order: order)
        for high in edges {
          try cursor.seek(to: TestLog.key(high))
          try cursor.seek(to: TestLog.key(low))
          let expected = model.records(.all, order, seeking: TestLog.key(low)).prefix(90)
          for found in expected {
            let next = try #require(try cursor.next())
            #expect(next.key == found.key && next.record.payload == found.payload)
          }
        }
      }
    }
  }

  /// The run that was merged first.
  private static func coverage(in view: View) throws -> RunCoverage {
    for case .merged(let coverage) in view.beneath.sources { return coverage }
    throw LogError.emptyKey
  }

  @Test("The first key of a walk does not pass over all that are behind it")
  func stops() throws {
    for order in [KeyOrder.ascending, .descending] {
      let isAscending = order == .ascending
      // The first four hundred keys, either way.
      let (log, _) = try Self.log(replacing: isAscending ? [0, 1] : [1, 2])
      let view = try log.snapshot().view()
      let bounds = WalkBounds(order: order)
      let walk = try MergedWalk(Self.coverage(in: view), view, bounds, from: nil)
      var passed: [[UInt8]] = []
      while let key = walk.passed {
        let isOpen = walk.window != nil
        #expect(!isOpen)
        passed.append([UInt8](key.buffer))
        try walk.advanceWindow(behind: key)
      }
      let first = walk.window.map { [UInt8]($0.key.pointee.buffer) }
      #expect(first == TestLog.key(isAscending ? 400 : 799))
      let sorted = passed.sorted { $0.lexicographicallyPrecedes($1) == isAscending }
      #expect(passed == sorted)
      // Portions of 16, 32, 64 and then 128 keys at most, and the ends of pages.
      #expect((4...16).contains(passed.count), "\(passed.count)")
    }
  }

  @Test("A walk ends at its bound where the run has only such keys behind that")
  func ends() throws {
    let (log, _) = try Self.log(replacing: [0, 1])
    let run = try Self.coverage(in: try log.snapshot().view())
    let (low, high) = (TestLog.key(100), TestLog.key(110))
    try low.withBytes { (low: UnsafeRawBufferPointer) in
      try high.withBytes { (high: UnsafeRawBufferPointer) in
        let keys = (IndexKey(TestLog.people, low), IndexKey(TestLog.people, high))
        for order in [KeyOrder.ascending, .descending] {
          let bounds = WalkBounds(lower: keys.0, upper: keys.1, order: order)
          let cursor = try RunCursor(
            run.run.run(), bounds: bounds, from: bounds.start, coverage: run)
          let isOver = cursor.window == nil && cursor.passed == nil
          #expect(isOver)
        }
      }
    }
  }
}
