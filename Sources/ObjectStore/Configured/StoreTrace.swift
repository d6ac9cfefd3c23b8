internal import LogStore

/// What can be known of an open store without keeping it.
struct StoreTrace: Sendable {
  weak let compaction: AutomaticCompaction?
  private let log: LogTrace

  init(_ store: Store) {
    compaction = store.compaction
    log = store.log.trace
  }

  /// Whether the store was let go, and has given its lock back.
  var hasEnded: Bool { log.hasEnded }

  /// Whether the end of the store waits for the caller, which must not wait for that: it is inside
  /// a transaction, a synchronization or a step of compaction, or is called on a thread of the
  /// log's own.
  var isAwaitedHere: Bool { compaction?.isOwnThread == true || log.isAwaitedHere }

  func isOf(_ log: Log) -> Bool { self.log === log.trace }
}
