internal import FileIO
internal import Synchronization

/// Sees to it that indexes are merged, one merge at a time: on a thread of its own, on the one that
/// commits, or on the one that asks for it.
///
/// It does not keep the log alive: while it merges it holds segments and files only, and who lets
/// the log go stops it first. Safe on any thread.
final class IndexMaintenance: @unchecked Sendable {
  // Sendable: what is stored and changes is used inside `monitor`, `keyCountMaximum`,
  // `spared`, `range` and `readIndexes` by who has the turn; the flag is atomic.
  private let monitor = Monitor()
  private let worker = SerialWorker(isBackground: true)
  /// The thread that merges.
  private var thread: ThreadIdentifier?
  private var isMerging: Bool { thread != nil }
  /// Whether somebody waits for what that merges.
  private var isWaitedFor = false
  /// Threads that wait for their turn; merges that nobody waits for do not come before them.
  private var waitingCount = 0
  private var isStopped = false
  /// Whether segments were sealed since the worker looked last.
  private var isScheduled = false
  private var isWorking = false
  /// Whether the worker waits for something to be sealed, or for time to pass without that.
  private var isWaiting = false
  /// How many have asked that nothing be merged only because there is time for it.
  private var hurryCount = 0
  /// Of all indexes that become one run; lowered when what a merge wrote was too large for a file.
  private var keyCountMaximum = IndexMergePolicy.keyCountMaximum
  private var spared = SparedIndexes()
  /// Where the merging of all indexes goes on, while they are merged a range at a time.
  private var range: RangedMerge?
  private var readIndexes = ReadIndexes()
  /// Asks the merge that runs to give up.
  private let interrupted = Atomic(false)
  /// Whether what is free is for deletions and compaction.
  private let sparesRoom = Atomic(false)

  /// How long nothing must be sealed before an idle store is put in order.
  private static let idleMilliseconds = 200

  /// Merges once on this thread, which holds the pipeline's lock; false when there was nothing to
  /// do, or it failed.
  func mergeInline(_ pipeline: CommitPipeline) -> Bool {
    guard beginTurn(waiting: false) else { return false }
    defer { endTurn() }
    do throws(LogError) {
      guard let planner = try pipeline.mergePlanner(.steady) else { return false }
      guard let choice = nextChoice(.steady, of: planner) else { return false }
      let merge = try pipeline.beginMerge(choice, of: planner.view)
      let outcome = try perform(merge, isCancelled: { false })
      guard let descriptor = outcome.descriptor else { return false }
      if try !Self.publishSoon(descriptor, of: merge, pipeline) {
        try pipeline.publish(descriptor, of: merge, isDurable: true)
      }
      goOn(behind: outcome, of: merge)
      return true
    } catch {
      range = nil
      return false
    }
  }

  /// Merges the indexes on this thread, which must not hold the pipeline's lock; a merge that runs
  /// is given up for it, unless somebody waits for that, too.
  func mergeAll(
    _ pipeline: CommitPipeline, _ goal: IndexMergePolicy.Goal
  ) throws(LogError) {
    guard beginTurn(waiting: true) else { throw .closed }
    defer { endTurn() }
    range = nil
    defer { range = nil }
    // Who asks for one index has all tried again, in vain once. Each refusal below names one of
    // them at least: so it ends.
    if goal == .single { spared.forgetSparse() }
    repeat {
      try Self.locked(pipeline) { () throws(LogError) in
        try pipeline.checkWritable()
        try pipeline.putInOrder()
      }
      guard let merge = try begin(goal, pipeline) else {
        return try Self.listMergedRuns(pipeline)
      }
      let outcome = try perform(merge, isCancelled: { isEnding })
      // The next one is smaller, or leaves some out.
      if case .refused = outcome { continue }
      guard let descriptor = outcome.descriptor else {
        return try Self.listMergedRuns(pipeline)
      }
      try Self.publishDurably(descriptor, of: merge, pipeline)
      goOn(behind: outcome, of: merge)
      if range == nil { return }
    } while true
  }

  /// Has a merge that nobody waits for give up, and give back what it has written, as long as the
  /// disk is full.
  func spareRoom(_ isFull: Bool) { sparesRoom.store(isFull, ordering: .relaxed) }

  /// Has the worker look whether there is something to merge; called under the pipeline's lock.
  func schedule(_ pipeline: CommitPipeline) {
    monitor.enter()
    defer { monitor.leave() }
    guard !isStopped else { return }
    isScheduled = true
    monitor.wakeAll()
    guard !isWorking else { return }
    isWorking = worker.submit { [weak pipeline, self] in work { pipeline } }
  }

  /// Whether the worker has done what there was to do at once for all that was sealed.
  var hasLooked: Bool {
    monitor.enter()
    defer { monitor.leave() }
    return !isScheduled && (isWaiting || !isWorking)
  }

  /// Until ``endHurry()`` merges only what is scheduled: who rewrites segment after segment commits
  /// nothing, but the store is not idle.
  func beginHurry() {
    monitor.enter()
    hurryCount += 1
    monitor.leave()
  }

  func endHurry() {
    monitor.enter()
    hurryCount -= 1
    monitor.leave()
  }

  /// Ends all merging, for ever; returns when nothing runs any more. Quick, because merges look
  /// every few thousand keys. The caller does not hold the pipeline's lock.
  func stop() {
    end()
    monitor.enter()
    while isMerging { monitor.wait() }
    monitor.leave()
    worker.waitUntilIdle()
  }

  /// The same, and waits for nothing.
  func end() {
    monitor.enter()
    isStopped = true
    interrupted.store(true, ordering: .relaxed)
    monitor.wakeAll()
    monitor.leave()
  }

  /// Whether the caller is called by a merge, whose end it must not wait for.
  var isOwnThread: Bool {
    monitor.enter()
    defer { monitor.leave() }
    return thread == .current || worker.isCurrentThread
  }

  /// Merges what was sealed; then waits whether more comes, and uses the time when nothing does.
  private func work(_ pipeline: () -> CommitPipeline?) {
    var isIdle = false
    while true {
      while mergeInBackground(isIdle ? .idle : .steady, pipeline) {}
      if isIdle { listMergedRuns(pipeline) }
      monitor.enter()
      if !isIdle { waitUntilQuiet() }
      if isStopped || (isIdle && !isScheduled) {
        isWorking = false
        monitor.leave()
        return
      }
      isIdle = !isScheduled
      isScheduled = false
      monitor.leave()
    }
  }

  /// Waits until nothing was asked for during some time; inside the monitor.
  private func waitUntilQuiet() {
    if isScheduled || isStopped { return }
    isWaiting = true
    defer { isWaiting = false }
    repeat {
      monitor.wait(milliseconds: Self.idleMilliseconds)
    } while hurryCount > 0 && !isScheduled && !isStopped
  }

  private func mergeInBackground(
    _ goal: IndexMergePolicy.Goal, _ pipeline: () -> CommitPipeline?
  ) -> Bool {
    guard beginTurn(waiting: false) else { return false }
    defer { endTurn() }
    let before = range == nil ? [] : pipeline()?.ownership.retired ?? []
    guard mergeOnce(goal, pipeline) else { return false }
    if range != nil, let ownership = pipeline()?.ownership {
      waitForReaders(of: ownership, sparing: before)
    }
    return true
  }

  /// What was merged while segments came is in the manifest when none comes any more.
  private func listMergedRuns(_ pipeline: () -> CommitPipeline?) {
    // Who has the turn lists them at its end.
    guard beginTurn(waiting: false) else { return }
    defer { endTurn() }
    do throws(LogError) {
      if let pipeline = pipeline() { try Self.listMergedRuns(pipeline) }
    } catch {}
  }

  /// Synchronizes what was committed before the lock is taken, as ``publishDurably`` does.
  private static func listMergedRuns(_ pipeline: CommitPipeline) throws(LogError) {
    let isBehind = try locked(pipeline) { () throws(LogError) in pipeline.isManifestBehind }
    guard isBehind else { return }
    try pipeline.waitUntilDurable(pipeline.appendedSequence())
    try locked(pipeline) { () throws(LogError) in try pipeline.listMergedRuns() }
  }

  private func mergeOnce(
    _ goal: IndexMergePolicy.Goal, _ pipeline: () -> CommitPipeline?
  ) -> Bool {
    do throws(LogError) {
      let merge = try pipeline().flatMap { (pipeline) throws(LogError) in
        try begin(goal, pipeline)
      }
      let isCancelled = { [self] in
        isEnding || (goal == .idle && isAskedAgain) || sparesRoom.load(ordering: .relaxed)
      }
      guard let merge else { return false }
      let outcome = try perform(merge, isCancelled: isCancelled)
      // The next one is smaller, or leaves some out.
      if case .refused = outcome { return true }
      guard let descriptor = outcome.descriptor else { return false }
      guard let pipeline = pipeline() else {
        merge.remove()
        return false
      }
      let isPublished = try Self.locked(pipeline) { () throws(LogError) in
        try goal == .steady ? Self.publishSoon(descriptor, of: merge, pipeline) : false
      }
      if !isPublished { try Self.publishDurably(descriptor, of: merge, pipeline) }
      goOn(behind: outcome, of: merge)
      return true
    } catch {
      range = nil
      return false
    }
  }

  /// Waits a little until the runs that a range replaced are gone: who reads keeps their files, and
  /// the next range would take room besides.
  /// Who reads since before then may read for long.
  private func waitForReaders(of ownership: StoreOwnership, sparing before: Set<FileName>) {
    for _ in 0..<Self.readerWaitCount where !isEnding {
      let left = ownership.retired.subtracting(before)
      if !left.contains(where: StoreDirectory.isRun) { return }
      monitor.enter()
      if !isStopped { monitor.wait(milliseconds: Self.readerWaitMilliseconds) }
      monitor.leave()
    }
  }

  private static let readerWaitCount = 20
  private static let readerWaitMilliseconds = 5

  /// The merge that there is to do; decides without the pipeline's lock.
  private func begin(
    _ goal: IndexMergePolicy.Goal, _ pipeline: CommitPipeline
  ) throws(LogError) -> IndexMerge? {
    let planner = try briefly(pipeline) { () throws(LogError) in try pipeline.mergePlanner(goal) }
    guard let planner, let choice = nextChoice(goal, of: planner) else { return nil }
    return try briefly(pipeline) { () throws(LogError) in
      try pipeline.beginMerge(choice, of: planner.view)
    }
  }

  private func nextChoice(
    _ goal: IndexMergePolicy.Goal, of planner: IndexMergePlanner
  ) -> IndexMergePlanner.Choice? {
    spared.forgetSparse(ifGrownIn: planner.sources)
    let choice = planner.choice(
      goal, keyCountMaximum: keyCountMaximum, range: range, sparing: spared.numbers)
    // Runs of ranges may have been left out: then there is nothing to go on with.
    if choice == nil || planner.hasRange(ofSegmentsOf: spared.numbers) { range = nil }
    return choice
  }

  /// After a merge of a range comes the next one; others change nothing of that.
  private func goOn(behind outcome: MergeOutcome, of merge: IndexMerge) {
    guard case .merged(let run, let spread) = outcome, var next = merge.range else { return }
    next.lower = run.bounds.upper
    next.spread = next.spread + spread
    range = next.lower == nil ? nil : next
  }

  /// Publishes a run that the next manifest will list, as more segments come, and with them
  /// manifests; false where it shall be listed at once.
  ///
  /// Merged ranges give room back one after the other: one at a time waits for a manifest.
  private static func publishSoon(
    _ descriptor: RunDescriptor, of merge: IndexMerge, _ pipeline: CommitPipeline
  ) throws(LogError) -> Bool {
    if merge.range != nil, pipeline.isManifestBehind { return false }
    try pipeline.publish(descriptor, of: merge, isDurable: false)
    return true
  }

  /// What was committed is synchronized before the lock is taken: commits must not wait for more
  /// than comes meanwhile.
  private static func publishDurably(
    _ descriptor: RunDescriptor, of merge: IndexMerge, _ pipeline: CommitPipeline
  ) throws(LogError) {
    do throws(LogError) {
      try pipeline.synchronizeRunNames()
      try pipeline.waitUntilDurable(pipeline.appendedSequence())
    } catch {
      merge.remove()
      throw error
    }
    try locked(pipeline) { () throws(LogError) in
      try pipeline.publish(descriptor, of: merge, isDurable: true, isNameDurable: true)
    }
  }

  private func perform(
    _ merge: IndexMerge, isCancelled: () -> Bool
  ) throws(LogError) -> MergeOutcome {
    defer { readIndexes.note(merge) }
    do throws(IndexMerge.Failure) {
      let written = try merge.perform(isCancelled: isCancelled)
      spared.noteSuccess(of: merge.sources)
      // Without any key left there is no next range either.
      if written == nil, merge.range != nil { range = nil }
      return written.map { .merged($0.run, $0.spread) } ?? .nothing
    } catch {
      switch error {
      case .cancelled: return .nothing
      case .tooLarge:
        keyCountMaximum = merge.keyCount / 2
        return .refused
      case .crowded(let numbers): spared.add(crowded: numbers)
      case .sparse(let numbers): spared.add(sparse: numbers, of: merge.sources)
      case .failed(let cause): throw cause
      }
      // What came since may be merged beside ranges, and says nothing of them.
      if merge.range != nil { range = nil }
      return .refused
    }
  }

  private var isEnding: Bool { interrupted.load(ordering: .relaxed) }

  private var isAskedAgain: Bool {
    monitor.enter()
    defer { monitor.leave() }
    return isScheduled
  }

  /// Takes the right to merge; false when somebody else has it, or merging has ended.
  private func beginTurn(waiting: Bool) -> Bool {
    monitor.enter()
    defer { monitor.leave() }
    if waiting {
      waitingCount += 1
      if isMerging, !isWaitedFor { interrupted.store(true, ordering: .relaxed) }
      while isMerging, !isStopped { monitor.wait() }
      waitingCount -= 1
    }
    guard !isMerging, !isStopped, waiting || waitingCount == 0 else { return false }
    thread = .current
    isWaitedFor = waiting
    // Who asked for it has the turn now, or waits for the next.
    if waiting { interrupted.store(false, ordering: .relaxed) }
    return true
  }

  private func endTurn() {
    monitor.enter()
    thread = nil
    monitor.wakeAll()
    monitor.leave()
  }

  /// Without publishing what lags.
  private func briefly<Result>(
    _ pipeline: CommitPipeline, _ body: () throws(LogError) -> Result
  ) throws(LogError) -> Result {
    pipeline.enterForCommit("merging indexes")
    defer { pipeline.leave() }
    return try body()
  }

  private static func locked<Result>(
    _ pipeline: CommitPipeline, _ body: () throws(LogError) -> Result
  ) throws(LogError) -> Result {
    pipeline.enter("merging indexes")
    defer { pipeline.leave() }
    return try body()
  }
}
