internal import FileIO

/// Keys that were put into the memory table, of which is not known yet what they replace beneath.
///
/// Only the live totals need to know that, and a look-up in sealed indexes is a chain of cache
/// misses. So keys wait for each other, and are looked up together: with a worker some hundreds
/// beside the commits that follow, without one sixteen by the commit that is the last of them.
/// Whoever needs exact totals settles what waits. Keys are borrowed from the table. Used under the
/// writer's lock, or by one thread.
final class PendingReplacements {
  /// Looks keys up beside commits; what it finds is counted by these.
  var worker: SerialWorker? {
    didSet { dueCount = dueCountAtFirst }
  }
  @exclusivity(unchecked) private var keys: [IndexKey] = []
  /// What the worker looks up.
  private var lookup: ReplacementLookup?
  /// Whether it is for somebody who settles, who tries again himself: its failure is not counted.
  private var isAhead = false
  /// How many keys must wait for something to be done.
  @exclusivity(unchecked) private var dueCount = 0
  /// Those whose index could not be read.
  private var failed: [IndexKey] = []
  private var triesLeft = 3
  private var probes: [KeyProbe] = []
  /// What is told each time so many bytes more were found to be dead.
  private var listener: (byteCount: UInt64, tell: @Sendable () -> Void)?
  /// Bytes that were found since it was told.
  private var deadByteCount: UInt64 = 0

  /// How many keys wait for a worker that has nothing to do.
  static let handedOverCountMinimum = 512
  /// How many it gets at most, and how many wait at most while it works: who settles waits for
  /// these.
  static let handedOverCountMaximum = 1024

  /// Fewer keys are looked up by who settles, under the writer's lock.
  private static let aheadCountMinimum = 16

  private var dueCountAtFirst: Int {
    worker == nil ? GroupedLookup.keyCountMaximum : Self.handedOverCountMinimum
  }

  init(worker: SerialWorker? = nil) {
    self.worker = worker
    dueCount = dueCountAtFirst
  }

  /// From now on `listener` is told each time another `byteCount` bytes were found to be dead: by
  /// who looks up or settles, so it must return at once.
  func tell(ofEach byteCount: UInt64, _ listener: @escaping @Sendable () -> Void) {
    self.listener = (byteCount, listener)
  }

  private func noteDead(_ byteCount: UInt64) {
    deadByteCount &+= byteCount
    guard let listener, deadByteCount >= listener.byteCount else { return }
    deadByteCount = 0
    listener.tell()
  }

  var isEmpty: Bool { keys.isEmpty && lookup == nil && failed.isEmpty }

  /// How many keys nobody looks up yet.
  var waitingCount: Int { keys.count }

  /// Whether enough wait for a look-up.
  var areDue: Bool { keys.count >= dueCount }

  /// `key` was not in the table before; its bytes must stay until it is settled.
  func add(_ key: IndexKey) { keys.append(key) }

  /// Forgets what was added since ``waitingCount`` was `count`, and nothing was looked up.
  func takeBack(behind count: Int) { keys.removeLast(keys.count - count) }

  /// Looks up the keys that are due, of `table`: on the worker, if there is one, and those that are
  /// too many for it here. See ``settle(beneath:_:_:again:)``.
  func lookUp(
    in table: MemoryTable, beneath: SealedIndex, _ accounts: SegmentTable<SegmentAccount>,
    _ watch: RewriteWatch?
  ) {
    if let worker, lookup?.isFinished ?? true {
      takeFound(accounts, watch)
      handOver(to: worker, table, beneath, watch)
    }
    if worker == nil || keys.count >= Self.handedOverCountMaximum {
      lookUpWaiting(beneath, accounts, watch)
    }
    let more = keys.count + Self.handedOverCountMinimum
    dueCount = worker == nil ? dueCountAtFirst : min(more, Self.handedOverCountMaximum)
  }

  /// What is looked up, or waits to be, for who finishes it without the writer's lock, so that
  /// ``settle(beneath:_:_:again:)`` finds little to do; nothing where that is not worthwhile.
  func lookUpAhead(
    in table: MemoryTable, beneath: SealedIndex, _ accounts: SegmentTable<SegmentAccount>,
    _ watch: RewriteWatch?
  ) -> ReplacementLookup? {
    if let lookup, !lookup.isFinished { return lookup }
    guard keys.count >= Self.aheadCountMinimum else { return nil }
    takeFound(accounts, watch)
    let made = makeLookup(table, beneath, watch)
    if let made { begin(made, isAhead: true) }
    return made
  }

  private func handOver(
    to worker: SerialWorker, _ table: MemoryTable, _ beneath: SealedIndex, _ watch: RewriteWatch?
  ) {
    guard let made = makeLookup(table, beneath, watch) else { return }
    // Where there is no thread now, keys go on waiting, as for a worker that has something to do.
    if made.handOver(to: worker) { begin(made) }
  }

  /// A look-up of the first keys; nothing, and no keys left, when it cannot find any.
  private func makeLookup(
    _ table: MemoryTable, _ beneath: SealedIndex, _ watch: RewriteWatch?
  ) -> ReplacementLookup? {
    guard ReplacementLookup.mayFind(keys[...], in: beneath) else {
      keys.removeAll(keepingCapacity: keys.count <= Self.handedOverCountMaximum)
      return nil
    }
    let isAll = keys.count <= Self.handedOverCountMaximum
    return ReplacementLookup(
      isAll ? keys : [IndexKey](keys.prefix(Self.handedOverCountMaximum)), of: table, in: beneath,
      notingBeside: watch)
  }

  private func begin(_ lookup: ReplacementLookup, isAhead: Bool = false) {
    self.lookup = lookup
    self.isAhead = isAhead
    if keys.count > Self.handedOverCountMaximum {
      keys.removeFirst(Self.handedOverCountMaximum)
    } else {
      // The array is the look-up's now.
      keys = []
      keys.reserveCapacity(Self.handedOverCountMaximum)
    }
  }

  /// Counts as dead what the keys replace in `beneath`, and notes it in `watch`; with `again` also
  /// for those whose index could not be read before. Waits for the worker.
  ///
  /// Returns an error of the file system that makes it worthwhile to try again. Where an index
  /// cannot be read time after time, or is damaged and cannot be made anew, what it says is given
  /// up: the replaced record counts as live then, so that more is kept than must be.
  @discardableResult
  func settle(
    beneath: SealedIndex, _ accounts: SegmentTable<SegmentAccount>, _ watch: RewriteWatch?,
    again: Bool = false
  ) -> LogError? {
    dueCount = dueCountAtFirst
    if lookup?.isFinished == true { takeFound(accounts, watch) }
    if again { tryFailedAgain() }
    // The worker goes on meanwhile.
    let failure = lookUpWaiting(beneath, accounts, watch)
    guard let lookup else { return failure }
    lookup.finish()
    let later = takeFound(accounts, watch)
    guard again, later != nil, failure == nil else { return failure ?? later }
    tryFailedAgain()
    return lookUpWaiting(beneath, accounts, watch)
  }

  private func tryFailedAgain() {
    keys.append(contentsOf: failed)
    failed = []
  }

  /// Looks up on this thread what waits.
  @discardableResult
  private func lookUpWaiting(
    _ beneath: SealedIndex, _ accounts: SegmentTable<SegmentAccount>, _ watch: RewriteWatch?
  ) -> LogError? {
    var dead: UInt64 = 0
    let outcome = ReplacementLookup.find(keys, in: beneath, &probes) { key, hit in
      Self.count(key, hit, accounts, watch)
      dead &+= UInt64(hit.value.length)
    }
    keys.removeAll(keepingCapacity: keys.count <= 2 * Self.handedOverCountMaximum)
    noteDead(dead)
    return note(outcome)
  }

  /// Counts what the worker found, which is through.
  @discardableResult
  private func takeFound(
    _ accounts: SegmentTable<SegmentAccount>, _ watch: RewriteWatch?
  ) -> LogError? {
    guard let lookup else { return nil }
    self.lookup = nil
    let found = lookup.takeFound()
    for (identifier, dead) in found.dead.entries {
      accounts[identifier]?.descriptor.live.remove(dead)
      noteDead(dead.total.byteCount)
    }
    if let noted = found.watch { watch?.add(noted) }
    return note(found.outcome, isTry: !isAhead)
  }

  private static func count(
    _ key: IndexKey, _ hit: View.Hit, _ accounts: SegmentTable<SegmentAccount>,
    _ watch: RewriteWatch?
  ) {
    watch?.note(key, hit)
    accounts[hit.segment.identifier]?.countDead(CollectionIdentifier(key.collection), hit.value)
  }

  /// Keeps the keys that are worth another try.
  private func note(_ outcome: ReplacementLookup.Outcome, isTry: Bool = true) -> LogError? {
    guard let failure = outcome.failure else { return nil }
    if isTry { triesLeft -= 1 }
    guard triesLeft > 0 else {
      failed = []
      return nil
    }
    failed.append(contentsOf: outcome.failed)
    return failure
  }
}
