import FileIO

@testable import LogStore

/// Walks of which records are read ahead soon, and by a clock that says whether it is a gain.
enum LongWalk {
  /// How many records they walk alone.
  static let aloneCount = 512

  /// One by whose clock nothing is gained where `isWaiting`, and much elsewhere.
  static func pool(
    isWaiting: Bool = false, walkCount: Int = 1,
    makeWorker: @escaping @Sendable () -> SerialWorker = { SerialWorker() }
  ) -> ReadAheadPool {
    let clock = WalkClock(waiting: isWaiting ? 100_000 : 1000, using: isWaiting ? 1000 : 100_000)
    return pool(clock, walkCount: walkCount, makeWorker: makeWorker)
  }

  static func pool(
    _ clock: WalkClock, walkCount: Int = 1,
    makeWorker: @escaping @Sendable () -> SerialWorker = { SerialWorker() }
  ) -> ReadAheadPool {
    ReadAheadPool(
      aloneCount: aloneCount, timeSource: clock, walkCount: walkCount, makeWorker: makeWorker)
  }

  static func walk(
    _ log: Log, _ keys: KeyRange = .all, _ order: KeyOrder = .ascending,
    in collection: CollectionIdentifier = TestLog.people
  ) throws(LogError) -> RecordWalk {
    try RecordWalk(
      view: log.snapshot().view(), collection: collection, keys: keys, order: order)
  }

  static func ahead(
    _ log: Log, _ keys: KeyRange = .all, _ order: KeyOrder = .ascending, isWaiting: Bool = false
  ) throws(LogError) -> RecordCursor {
    RecordCursor(try walk(log, keys, order), readingAheadFrom: pool(isWaiting: isWaiting))
  }
}
