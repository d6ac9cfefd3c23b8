public import Compaction
internal import FileIO
internal import LogStore

/// Keeps an open store in shape while the application works; safe on any thread.
///
/// It looks whenever a segment begins, as much as a segment was deleted, a put found no room on the
/// disk, or that made a deletion use the reserve; plans one step, carries it out in slices of a
/// quarter of a MiB, rests after each so long that it stays within its budget, and looks again.
/// After an error it tries again a few times. When nothing is to be compacted it makes dictionaries
/// for what has none, one at a time. Readers and writers go on meanwhile, and no snapshot holds it
/// up: what a snapshot can read stays on disk until it is let go, see ``LogStatistics/snapshots``.
/// When the store is closed it gives the current step up; the store is correct at every moment.
public final class AutomaticCompaction: @unchecked Sendable {
  // Sendable: what is stored and changes is used inside `monitor`, or by who has the turn.
  private let engine: StoreCompaction
  private let configuration: CompactionConfiguration
  private let isAutomatic: Bool
  private let monitor = Monitor()
  /// Internal for tests, which hold it up.
  let worker = SerialWorker(isBackground: true)
  private var state = State()
  private var totals = AutomaticCompactionStatistics()
  private var listeners = CompactionListeners()
  /// What is not tried again; used by who has the turn.
  private var spared = SparedSegments()
  private var dictionaryReviews = DictionaryReviews()
  private var firstDictionaries = FirstDictionaries()

  private struct State {
    var isStopped = false
    var isPaused = false
    /// Whether there may be something to do.
    var isDue = false
    /// Whether the worker has been asked to look.
    var isWorking = false
    /// Whether a step is being carried out, here or by a compaction that somebody asked for.
    var isBusy = false
    /// The one that carries out a step of its own.
    var thread: ThreadIdentifier?
    /// Compactions that somebody asked for; the turn is theirs until the last of them ends.
    var foregroundCount = 0
    /// Threads that wait for their turn; the worker does not come before them.
    var waitingCount = 0
    var givesUp = false
    /// Whether somebody found it busy, who may have been the worker.
    var isMissed = false
  }

  init(_ engine: StoreCompaction, isAutomatic: Bool) {
    self.engine = engine
    self.isAutomatic = isAutomatic
    configuration = engine.configuration
    state.isStopped = !isAutomatic && configuration.mode != .manual
  }

  /// What it has done, and is doing.
  public var statistics: AutomaticCompactionStatistics {
    monitor.enter()
    defer { monitor.leave() }
    var result = totals
    result.activity =
      state.isStopped ? .stopped : state.isPaused ? .paused : state.isBusy ? .running : .idle
    return result
  }

  /// How each step comes along, a value for each slice; ends when the store is closed.
  ///
  /// A reader that is slow sees the newest value, and holds nothing up.
  public var progress: AsyncStream<CompactionProgress> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      monitor.enter()
      defer { monitor.leave() }
      guard !state.isStopped else { return continuation.finish() }
      let number = listeners.add(continuation)
      continuation.onTermination = { [weak self] _ in self?.forget(number) }
    }
  }

  private func forget(_ number: Int) {
    monitor.enter()
    listeners.remove(number)
    monitor.leave()
  }

  /// Holds it in the middle of a step, or before the next one, until ``resume()``.
  public func pause() {
    monitor.enter()
    state.isPaused = true
    monitor.leave()
  }

  /// Lets it go on, and look whether there is something to do.
  public func resume() {
    monitor.enter()
    state.isPaused = false
    monitor.wakeAll()
    monitor.leave()
    schedule()
  }

  /// Gives the current step up, if there is one; what it had copied is copied again another time.
  public func cancel() {
    monitor.enter()
    if state.isBusy, state.foregroundCount == 0 { state.givesUp = true }
    monitor.wakeAll()
    monitor.leave()
  }

  /// Has it look whether there is something to do; returns at once, and may be called under the
  /// writer's lock.
  func schedule() {
    monitor.enter()
    defer { monitor.leave() }
    guard !state.isStopped, isAutomatic else { return }
    state.isDue = true
    guard !state.isWorking, !state.isPaused else { return }
    // Without a thread the next signal asks again.
    state.isWorking = worker.submit { [self] in work() }
  }

  /// Ends it for ever; returns when nothing runs any more, after a slice or a dictionary at most.
  func stop() {
    monitor.enter()
    state.isStopped = true
    state.givesUp = true
    monitor.wakeAll()
    while state.isBusy, state.foregroundCount == 0 { monitor.wait() }
    let ended = listeners.removeAll()
    monitor.leave()
    worker.waitUntilIdle()
    for listener in ended { listener.finish() }
  }

  /// Whether the caller is code that a step of its own runs, and must not wait for its end.
  var isOwnThread: Bool {
    monitor.enter()
    defer { monitor.leave() }
    return state.thread == .current || worker.isCurrentThread
  }

  /// Runs a compaction that somebody asked for; a step of its own that runs is given up for it.
  func exclusively<Result>(
    _ body: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    // A step that waits for the writer's lock could not be waited for.
    engine.log.expectOutsideTransaction("a compaction")
    expectOutsideStep("a compaction")
    monitor.enter()
    state.waitingCount += 1
    while state.isBusy, state.foregroundCount == 0 {
      state.givesUp = true
      monitor.wakeAll()
      monitor.wait()
    }
    state.waitingCount -= 1
    // Two at once share the turn: the log refuses a step of one while it carries out one of the
    // other.
    state.isBusy = true
    state.foregroundCount += 1
    monitor.leave()
    defer {
      endForeground()
      schedule()
    }
    return try body()
  }

  private func work() {
    var failureCount = 0
    while true {
      monitor.enter()
      guard state.isDue, !state.isStopped, !state.isPaused else {
        state.isWorking = false
        monitor.leave()
        return
      }
      state.isDue = false
      monitor.leave()
      var outcome = takeTurn()
      while outcome == .done {
        failureCount = 0
        outcome = takeTurn()
      }
      failureCount = outcome == .failed ? failureCount + 1 : 0
      if failureCount > 0 { waitAfter(failureCount) }
    }
  }

  /// What fails for want of descriptors, of room or of luck is tried again after a tenth of a
  /// second, and after twice as long each time, for some 25 seconds together.
  private static let retryCount = 8

  /// Waits until it is time to try again, or somebody has it look before, but a tenth of a second
  /// at least: on a full disk each deletion has it look.
  private func waitAfter(_ failureCount: Int) {
    monitor.enter()
    defer { monitor.leave() }
    let isLast = failureCount > Self.retryCount
    for turn in 0..<(isLast ? 1 : 1 << (failureCount - 1)) where turn == 0 || !state.isDue {
      if state.isStopped || state.isPaused { return }
      monitor.wait(milliseconds: 100)
    }
    if !isLast { state.isDue = true }
  }

  private enum Outcome { case done, nothing, failed }

  /// Plans and carries out one step on this thread, or looks whether a version should have its
  /// first dictionary; false when there was nothing to do, or it was paused, stopped or
  /// failed: see ``AutomaticCompactionStatistics/lastError``. Not in the body of a write.
  @discardableResult
  public func step() -> Bool {
    engine.log.expectOutsideTransaction("a step of compaction")
    return takeTurn() == .done
  }

  private func takeTurn() -> Outcome {
    guard beginTurn() else { return .nothing }
    defer { endTurn() }
    do throws(StoreError) {
      let isDone = try carryOutStep()
      note { totals in totals.lastError = nil }
      return isDone ? .done : .nothing
    } catch {
      note { totals in totals.lastError = error }
      if case .log(.poisoned) = error { end() }
      if case .log(.closed) = error { end() }
      return .failed
    }
  }

  /// Ends it for ever, and waits for nothing; whoever waits for progress is told.
  func end() {
    monitor.enter()
    state.isStopped = true
    state.givesUp = true
    let ended = listeners.removeAll()
    monitor.leave()
    for listener in ended { listener.finish() }
  }

  private func beginTurn() -> Bool {
    monitor.enter()
    defer { monitor.leave() }
    guard !state.isStopped, !state.isPaused, !state.isBusy, state.waitingCount == 0 else {
      state.isMissed = true
      return false
    }
    state.isMissed = false
    state.isBusy = true
    state.thread = .current
    state.givesUp = false
    return true
  }

  private func endTurn() {
    monitor.enter()
    state.isBusy = false
    state.thread = nil
    let isMissed = state.isMissed
    monitor.wakeAll()
    monitor.leave()
    if isMissed { schedule() }
  }

  private func endForeground() {
    monitor.enter()
    state.foregroundCount -= 1
    if state.foregroundCount == 0 { state.isBusy = false }
    monitor.wakeAll()
    monitor.leave()
  }

  private func note(_ change: (inout AutomaticCompactionStatistics) -> Void) {
    monitor.enter()
    change(&totals)
    monitor.leave()
  }

  private func carryOutStep() throws(StoreError) -> Bool {
    let refusalCount = engine.log.refusalCount
    let statistics = try engine.logStatistics()
    let whole = statistics.space()
    note { totals in
      totals.debtByteCount = whole.deadByteCount
      totals.deadFraction = whole.deadFraction
    }
    spared.noteTried(engine.triedSegments(of: statistics.segments))
    spared.update(statistics.segments)
    let space = statistics.space(sparing: spared.unreadable)
    let planned = try engine.plan(
      statistics, since: refusalCount, failing: engine.failing.withLock { $0.all },
      sparing: &spared)
    var slices = CompactionSlices(pace: pace(space), timeSource: engine.timeSource)
    guard let step = planned.plan.steps.first else {
      engine.log.keepReserveAgain()
      return try makeDictionary(planned.upgrader, &slices)
    }
    let isUrgent = space.deadFraction > configuration.urgentDeadFraction
    var report = CompactionReport()
    do throws(StoreError) {
      try engine.carryOut(
        CompactionPlan(steps: [step]), into: &report, upgrader: planned.upgrader,
        effort: isUrgent ? .quick : .thorough, dictionaries: &dictionaryReviews,
        sparing: spared.keepingDictionaries
      ) {
        slices.end(copiedByteCount: $0.copiedByteCount)
        tell($0)
        let goesOn = rest(&slices)
        slices.begin()
        return goesOn
      }
    } catch {
      // Parts of the step may have been done.
      slices.finish()
      note(report, slices, isOver: false)
      engine.failing.withLock { $0.note(changed: report.changedVersions) }
      throw error
    }
    slices.finish()
    note(report, slices, isOver: true)
    engine.failing.withLock { $0.note(report, of: step) }
    return !report.wasCancelled
  }

  /// Looks whether a version should have its first dictionary, and rests as after a slice.
  private func makeDictionary(
    _ upgrader: HeldUpgrader, _ slices: inout CompactionSlices
  ) throws(StoreError) -> Bool {
    let hasLooked = try StoreError.log { () throws(LogError) in
      try firstDictionaries.makeOne(in: engine.log, upgrader: upgrader, sparing: spared.unreadable)
    }
    guard hasLooked else { return false }
    slices.end()
    note { totals in totals.noteTime(of: slices) }
    return rest(&slices)
  }

  private func tell(_ progress: CompactionProgress) {
    monitor.enter()
    let all = listeners.all
    monitor.leave()
    for listener in all { listener.yield(progress) }
  }

  /// How long it rests before it looks again how much is dead: others may overwrite meanwhile.
  private static let longestRest: UInt64 = 20_000_000

  /// Rests as long as the store's state asks for, and waits while it is paused; false when the step
  /// is to be given up.
  private func rest(_ slices: inout CompactionSlices) -> Bool {
    if slices.owedRest() > 0 { slices.pace = currentPace }
    while true {
      let owed = slices.owedRest()
      let nanoseconds = isAutomatic ? min(owed, Self.longestRest) : owed
      // After a minute more may be owed.
      let isAll = owed == nanoseconds && owed < CompactionPace.longestRestNanoseconds
      slices.rested(nanoseconds, isAll: isAll)
      let goesOn = rest(nanoseconds)
      if isAll || !goesOn { return goesOn }
      slices.pace = currentPace
    }
  }

  private var currentPace: CompactionPace { pace(engine.log.space(sparing: spared.unreadable)) }

  private func pace(_ space: LogSpace) -> CompactionPace {
    configuration.pace.scaled(
      deadFraction: space.deadFraction, urgentDeadFraction: configuration.urgentDeadFraction)
  }

  private func rest(_ nanoseconds: UInt64) -> Bool {
    monitor.enter()
    defer { monitor.leave() }
    totals.restNanoseconds &+= nanoseconds
    if nanoseconds > 0, isAutomatic, !state.givesUp {
      monitor.wait(microseconds: Int(nanoseconds / 1000))
    }
    while state.isPaused, !state.givesUp, isAutomatic { monitor.wait() }
    return !state.givesUp
  }

  private func note(_ report: CompactionReport, _ slices: CompactionSlices, isOver: Bool) {
    spared.note(report)
    note { totals in totals.note(report, slices, isOver: isOver) }
  }
}
