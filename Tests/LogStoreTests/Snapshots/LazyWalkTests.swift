import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Walks open an index when they reach it, and show what a sorted array shows.
@Suite struct LazyWalkTests {
  private static func open(_ maintenance: LogConfiguration.Maintenance) throws -> Log {
    var configuration = TestLog.configuration
    configuration.segmentByteCountMinimum = 1 << 10
    configuration.segmentByteCountMaximum = 1 << 10
    configuration.durability = .process
    configuration.maintenance = maintenance
    return try Log.open(
      at: "/store", configuration: configuration, fileSystem: InMemoryFileSystem())
  }

  private static func cursor(
    _ log: Log, _ keys: Range<Int>, _ order: KeyOrder
  ) throws -> MergingCursor {
    let view = log.pipeline.view
    return try TestLog.key(keys.lowerBound).withUnsafeBytes { lower in
      try TestLog.key(keys.upperBound).withUnsafeBytes { upper in
        try MergingCursor(
          view: view, overlay: nil, sealed: view.beneath.sources,
          bounds: WalkBounds(
            lower: IndexKey(TestLog.people, lower), upper: IndexKey(TestLog.people, upper),
            order: order))
      }
    }
  }

  @Test(
    "a short walk opens the indexes that hold its keys, and no other", arguments: KeyOrder.allCases)
  func aShortWalkOpensFewIndexes(order: KeyOrder) throws {
    let log = try Self.open(.none)
    for start in stride(from: 0, to: 400, by: 10) { try TestLog.put(start..<(start + 10), log) }
    let sealedCount = log.pipeline.view.sealed.count
    #expect(sealedCount > 15)
    for start in [0, 55, 200, 300] {
      let short = try Self.cursor(log, start..<400, order)
      for _ in 0..<5 { try short.advance() }
      #expect(short.openedCount <= 2, "from \(start)")
    }
    #expect(try Self.cursor(log, 100..<105, order).openedCount == 1)
    #expect(try Self.cursor(log, 500..<600, order).openedCount == 0)
    let whole = try Self.cursor(log, 0..<400, order)
    while whole.current != nil { try whole.advance() }
    #expect(whole.openedCount == sealedCount)
    try log.close()
  }

  @Test(
    "walks over indexes that overlap, or do not, show the newest record of each key",
    arguments: 1...6)
  func walksShowTheNewest(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let log = try Self.open(seed.isMultiple(of: 2) ? .inline : .none)
    var model = WalkModel()
    var next = 0
    for step in 0..<60 {
      let isOrdered = step % 3 != 0
      let numbers = (0..<8).map { _ in
        if isOrdered { next += 3 }
        return isOrdered ? next : Int.random(in: 0...max(next, 30), using: &generator)
      }
      if step % 7 == 6 {
        try TestLog.delete(numbers, log)
        for number in numbers { model.payloads[TestLog.key(number)] = nil }
      } else {
        try TestLog.put(numbers, log)
        for number in numbers { model.payloads[TestLog.key(number)] = TestLog.payload(number) }
      }
    }
    var wrong: [String] = []
    for _ in 0..<60 {
      let bounds = (0..<2).map { _ in Int.random(in: -1...(next + 2), using: &generator) }
      let keys = KeyRange(
        from: bounds[0] < 0 ? .unbounded : .including(TestLog.key(bounds[0])),
        to: bounds[1] < 0 ? .unbounded : .excluding(TestLog.key(bounds[1])))
      for order in KeyOrder.allCases {
        let cursor = try log.snapshot().records(in: TestLog.people, keys: keys, order: order)
        for _ in 0..<Int.random(in: 0..<20, using: &generator) { _ = try cursor.next() }
        for _ in 0..<3 {
          let start = TestLog.key(Int.random(in: 0...(next + 2), using: &generator))
          try cursor.seek(to: start)
          let expected = model.records(keys, order, seeking: start)
          var found: [WalkModel.Found] = []
          for _ in 0..<30 {
            guard let (key, record) = try cursor.next() else { break }
            found.append(WalkModel.Found(key: key, payload: record.payload))
          }
          if found != Array(expected.prefix(30)) { wrong.append("\(bounds) \(order) \(start)") }
        }
      }
    }
    #expect(wrong.isEmpty, "seed \(seed)")
    try log.close()
  }

  @Test("a look-up that counts no references gives what the slow one gives", arguments: 1...4)
  func fastLookUpsAgree(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let log = try Self.open(seed.isMultiple(of: 2) ? .inline : .none)
    for _ in 0..<50 {
      let numbers = (0..<10).map { _ in Int.random(in: 0..<300, using: &generator) }
      if Int.random(in: 0..<5, using: &generator) == 0 {
        try TestLog.delete(numbers, log)
      } else {
        try TestLog.put(numbers, log)
      }
    }
    let view = log.pipeline.view
    var wrong: [Int] = []
    var fastCount = 0
    for number in 0..<330 {
      try TestLog.key(number).withUnsafeBytes { bytes in
        let key = IndexKey(TestLog.people, bytes)
        let expected = try view.record(key)?.payload
        switch view.fastRecord(key) {
        case .absent: if expected != nil { wrong.append(number) }
        case .found(let record):
          fastCount += 1
          if record.copied()?.payload != expected { wrong.append(number) }
        case .unknown: break
        }
      }
    }
    #expect(wrong.isEmpty, "seed \(seed)")
    #expect(fastCount > 100)
    try log.close()
  }
}
