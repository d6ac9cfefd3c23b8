internal import FileIO

/// Brings callers that commit at the same time together, so that they share a write and a sync.
///
/// The first to come leads: it takes all that wait and appends them as a group; then the next one
/// may lead while this group is synchronized, and wakes its members when they are through. There
/// is no timer and no thread of its own. A caller that is alone pays two uncontended mutexes. After
/// the leader and follower scheme of LevelDB's writer queue (`DBImpl::BuildBatchGroup`), with its
/// bounds.
final class CommitQueue: @unchecked Sendable {
  // Sendable: all stored state is used inside `monitor`; requests are handed over through it.
  private let monitor = Monitor()
  @exclusivity(unchecked) private var waiting: [CommitRequest] = []
  @exclusivity(unchecked) private var isLed = false

  /// A group has at most this many bytes, unless one request alone has more.
  static let groupByteCountMaximum = 1 << 20
  /// What may join a small request, so that it does not wait for a large write.
  static let joiningByteCountMaximum = 128 << 10

  /// Commits the request of a group of one, alone or with others, and returns when its result is
  /// set.
  ///
  /// Both closures are called outside the monitor: `append` for one group at a time, `finish` for
  /// several at once; after `finish` all results are set.
  func perform(
    _ alone: [CommitRequest], append: ([CommitRequest]) -> Void,
    finish: ([CommitRequest]) -> Void
  ) {
    let request = alone[0]
    monitor.enter()
    if !isLed, waiting.isEmpty {
      lead(alone, append, finish)
      return monitor.leave()
    }
    waiting.append(request)
    // Not the result: the leader sets that outside the monitor, before its group is published.
    while !request.isDone {
      guard !isLed, !waiting.isEmpty else {
        monitor.wait()
        continue
      }
      let group = takeGroup()
      lead(group, append, finish)
      // Not the count: who waits for its own group may lead a group of another's request alone.
      if group.contains(where: { $0 !== request }) { monitor.wakeAll() }
    }
    monitor.leave()
  }

  /// Takes a group through; called inside the monitor, and is inside it again when it returns.
  private func lead(
    _ group: [CommitRequest], _ append: ([CommitRequest]) -> Void,
    _ finish: ([CommitRequest]) -> Void
  ) {
    isLed = true
    monitor.leave()
    append(group)
    monitor.enter()
    isLed = false
    if !waiting.isEmpty { monitor.wakeAll() }
    if group.contains(where: { !$0.isDecided }) {
      monitor.leave()
      finish(group)
      monitor.enter()
    }
    for request in group { request.isDone = true }
  }

  /// How many requests wait for the next group; for tests.
  var waitingCount: Int {
    monitor.enter()
    defer { monitor.leave() }
    return waiting.count
  }

  /// The first request and those behind it that fit.
  private func takeGroup() -> [CommitRequest] {
    guard let first = waiting.first else { return [] }
    let limit =
      first.batch.byteCount <= Self.joiningByteCountMaximum
      ? first.batch.byteCount + Self.joiningByteCountMaximum : Self.groupByteCountMaximum
    var size = 0
    var count = 0
    for request in waiting {
      size += request.batch.byteCount
      if count > 0, size > limit { break }
      count += 1
    }
    let group = Array(waiting.prefix(count))
    waiting.removeFirst(count)
    return group
  }
}
