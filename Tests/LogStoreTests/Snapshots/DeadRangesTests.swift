import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Walks that go on behind what others found to be dead show the same as walks that do not.
@Suite("Ranges in which nothing is alive are passed over at once")
struct DeadRangesTests {
  static let collection = CollectionIdentifier(1)
  static let other = CollectionIdentifier(2)

  static func open(_ fileSystem: any FileSystem = InMemoryFileSystem()) throws -> Log {
    var configuration = DictionaryLog.configuration
    configuration.maintenance = .inline
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  static func put(
    _ numbers: some Sequence<Int>, to log: Log, in collection: CollectionIdentifier = collection
  ) throws {
    let batch = log.makeBatch()
    for number in numbers {
      try batch.put(
        DictionaryLog.key(number), in: collection, schemaVersion: 1,
        payload: DictionaryLog.key(number))
    }
    try log.commit(batch)
  }

  static func delete(_ numbers: some Sequence<Int>, of log: Log) throws {
    let batch = log.makeBatch()
    for number in numbers { try batch.delete(DictionaryLog.key(number), in: collection) }
    try log.commit(batch)
  }

  /// Keys 0 to 999, of which the first half was deleted.
  static func queue() throws -> Log {
    let log = try open()
    try put(0..<1000, to: log)
    try delete(0..<500, of: log)
    return log
  }

  /// Up to `count` keys from `bound` on.
  static func walk(
    _ snapshot: Snapshot, from bound: Int = 0, to end: Int? = nil, _ order: KeyOrder = .ascending,
    count: Int = 3
  ) throws -> [Int] {
    let keys = KeyRange(
      from: .including(DictionaryLog.key(bound)),
      to: end.map { .excluding(DictionaryLog.key($0)) } ?? .unbounded)
    let cursor = try snapshot.records(in: collection, keys: keys, order: order)
    var numbers: [Int] = []
    while numbers.count < count, let next = try cursor.next() {
      numbers.append(next.key.reduce(0) { $0 << 8 | Int($1) })
    }
    return numbers
  }

  /// Whether something is known to be dead.
  static func known(_ log: Log) -> Bool { !(log.pipeline.deadRanges?.isEmpty ?? true) }

  @Test("The first of a queue is found at once, whatever was deleted before it")
  func first() throws {
    let log = try Self.queue()
    #expect(!Self.known(log))
    #expect(try Self.walk(log.snapshot()) == [500, 501, 502])
    #expect(Self.known(log))
    #expect(try Self.walk(log.snapshot()) == [500, 501, 502])
    #expect(try Self.walk(log.snapshot(), from: 100) == [500, 501, 502])
    #expect(try Self.walk(log.snapshot(), from: 100, to: 400) == [])
    #expect(try Self.walk(log.snapshot(), to: 502, .descending) == [501, 500])
    try Self.delete(500..<502, of: log)
    #expect(try Self.walk(log.snapshot()) == [502, 503, 504])
    try log.close()
  }

  @Test("What is put into it is seen by the next walk, either way", arguments: [0, 1, 250, 499])
  func puts(number: Int) throws {
    let log = try Self.queue()
    let before = log.snapshot()
    #expect(try Self.walk(before) == [500, 501, 502])
    for _ in 0..<12 {
      try Self.put([number], to: log)
      #expect(try Self.walk(log.snapshot()) == [number, 500, 501])
      #expect(try Self.walk(log.snapshot(), to: 501, .descending) == [500, number])
      #expect(try Self.walk(before) == [500, 501, 502])
      try Self.delete([number], of: log)
      #expect(try Self.walk(log.snapshot()) == [500, 501, 502])
      #expect(try Self.walk(log.snapshot(), to: 501, .descending) == [500])
    }
    try log.close()
  }

  @Test("An older snapshot shows what was alive then, and a younger one of others nothing else")
  func snapshots() throws {
    let log = try Self.open()
    try Self.put(0..<1000, to: log)
    let all = log.snapshot()
    try Self.delete(0..<500, of: log)
    #expect(try Self.walk(log.snapshot()) == [500, 501, 502])
    #expect(Self.known(log))
    #expect(try Self.walk(all) == [0, 1, 2])
    #expect(try Self.walk(all, from: 100, to: 102) == [100, 101])
    // Of another collection nothing is known.
    try Self.put(0..<10, to: log, in: Self.other)
    let cursor = try log.snapshot().records(in: Self.other)
    var count = 0
    while try cursor.next() != nil { count += 1 }
    #expect(count == 10)
    try log.close()
  }

  @Test("A transaction sees what it puts and deletes itself, and nobody else does before it ends")
  func transactions() throws {
    let log = try Self.queue()
    #expect(try Self.walk(log.snapshot()) == [500, 501, 502])
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try log.transact { transaction in
        try transaction.put(
          DictionaryLog.key(7), in: Self.collection, schemaVersion: 1, payload: [1])
        for number in 500..<900 {
          try transaction.delete(DictionaryLog.key(number), in: Self.collection)
        }
        let cursor = try transaction.records(in: Self.collection)
        #expect(try cursor.next()?.key == DictionaryLog.key(7))
        #expect(try cursor.next()?.key == DictionaryLog.key(900))
        throw Stop()
      }
    }
    #expect(try Self.walk(log.snapshot()) == [500, 501, 502])
    try log.close()
  }

  @Test("Nothing is noted of a state that is not the newest")
  func staleNotes() throws {
    let log = try Self.queue()
    let before = log.snapshot()
    try Self.put([3], to: log)
    #expect(try Self.walk(before) == [500, 501, 502])
    #expect(!Self.known(log))
    #expect(try Self.walk(log.snapshot()) == [3, 500, 501])
    try log.close()
  }

  @Test(
    "P1: walks show what a model has, with clustered deletions, puts, snapshots and compaction",
    arguments: 1...6 as ClosedRange<UInt64>)
  func model(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let fileSystem = InMemoryFileSystem()
    var log = try Self.open(fileSystem)
    var alive: Set<Int> = []
    var held: (snapshot: Snapshot, alive: Set<Int>)?
    var hadRanges = 0
    func check(_ snapshot: Snapshot, _ alive: Set<Int>, _ turn: Int) throws {
      let order: KeyOrder = Bool.random(using: &generator) ? .ascending : .descending
      let bound = Int.random(in: 0..<3000, using: &generator)
      let end = Bool.random(using: &generator) ? bound + 700 : nil
      let count = Int.random(in: 1...400, using: &generator)
      let found = try Self.walk(snapshot, from: bound, to: end, order, count: count)
      let sorted = alive.filter { $0 >= bound && $0 < end ?? .max }.sorted()
      let expected = (order == .ascending ? sorted : sorted.reversed()).prefix(count)
      if found != Array(expected) { Issue.record("seed \(seed), turn \(turn), \(order) \(bound)") }
    }
    for turn in 0..<400 {
      let start = Int.random(in: 0..<3000, using: &generator)
      let numbers = start..<start + Int.random(in: 1...600, using: &generator)
      switch Int.random(in: 0..<12, using: &generator) {
      case 0..<2:
        try Self.put(numbers, to: log)
        alive.formUnion(numbers)
      case 2..<4:
        try Self.put([start], to: log)
        alive.insert(start)
      case 4..<8:
        try Self.delete(numbers, of: log)
        alive.subtract(numbers)
      case 8: held = (log.snapshot(), alive)
      case 9: try log.mergeIndexes()
      case 10 where turn % 5 == 0:
        held = nil
        try log.close()
        log = try Self.open(fileSystem)
      default: break
      }
      for _ in 0..<3 { try check(log.snapshot(), alive, turn) }
      if let held { try check(held.snapshot, held.alive, turn) }
      if Self.known(log) { hadRanges += 1 }
    }
    #expect(hadRanges > 50)
    held = nil
    try log.close()
  }

  @Test("A commit is seen by the walk after it while other threads note what they pass over")
  func races() throws {
    let log = try Self.open()
    try Self.put(0..<2000, to: log)
    try Self.delete(0..<1900, of: log)
    let isDone = Lock(false)
    let failures = Threads.run(3) { thread in
      guard thread == 0 else {
        let order: KeyOrder = thread == 1 ? .ascending : .descending
        while !isDone.withLock({ $0 }) { _ = try Self.walk(log.snapshot(), to: 1900, order) }
        return
      }
      defer { isDone.withLock { $0 = true } }
      var generator = SeededGenerator(seed: 45)
      for turn in 0..<300 {
        let number = Int.random(in: 0..<1900, using: &generator)
        try Self.put([number], to: log)
        let found = try Self.walk(log.snapshot(), to: 1900)
        if found != [number] { Issue.record("turn \(turn): \(found), not \(number)") }
        try Self.delete([number], of: log)
        let left = try Self.walk(log.snapshot(), to: 1900, .descending)
        if !left.isEmpty { Issue.record("turn \(turn): \(left)") }
      }
    }
    #expect(failures.isEmpty, "\(failures)")
    try log.close()
  }
}
