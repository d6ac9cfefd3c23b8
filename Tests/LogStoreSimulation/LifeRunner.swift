internal import FileIO
internal import LogStore
internal import StorageTestSupport

/// Runs the steps of one life of a store, and keeps what was promised.
///
/// Without faults every error is a failure. With one, the step may throw; then the store shows what
/// it showed before, goes on or says that it is poisoned, and opens again.
struct LifeRunner {
  private let check: StoreCheck
  private(set) var history: CommitHistory
  let fileSystem: SimulatedFileSystem
  /// Operations before the opening, before each step, and after the last.
  private(set) var marks: [Int] = []
  private(set) var counts = SimulationCounts()
  private var log: Log?
  private var kept: [(snapshot: Snapshot, state: ModelState)] = []
  private var opening: UInt64
  /// A fault came, so that the log may be poisoned; also where no step failed for it.
  private var mayBePoisoned = false
  /// A commit was acknowledged since the log was opened.
  private var hasCommitted = false
  /// Pages may have reverted since the log was opened: reads of them fail.
  private var mayHaveLostWrites = false
  /// Synchronizations fail for ever: nothing can be promised until the machine starts again.
  private var isHopeless = false
  /// Whether a disk may be broken though no step has failed for it yet.
  private var mayNeverSynchronize = false

  private struct Abandoned: Error {}

  init(
    _ check: StoreCheck, history: CommitHistory, fileSystem: SimulatedFileSystem, opening: UInt64
  ) {
    self.check = check
    self.history = history
    self.fileSystem = fileSystem
    self.opening = opening &* 1000 &+ 1
  }

  /// Opens the store, runs `steps` and lets the process go without closing.
  mutating func run(_ steps: [SimulationStep]) throws(SimulationFailure) {
    marks.append(fileSystem.operationCount)
    try StoreCheck.failing(.refused) { try open() }
    for step in steps {
      marks.append(fileSystem.operationCount)
      if isHopeless { continue }
      try run(step)
    }
    marks.append(fileSystem.operationCount)
    kept = []
    log = nil
  }

  /// The step of `operation`, counted from 0 for the opening, and its number within the step.
  func place(of operation: Int) -> (step: Int, operation: Int) {
    let step = max(0, (marks.dropLast().lastIndex { $0 < operation }) ?? 0)
    return (step, operation - marks[step])
  }

  /// The last recorded crash point that is not behind a decision's operation.
  func pointIndex(of decision: CrashDecision) -> Int {
    let step = min(decision.step, marks.count - 2)
    let operation = min(marks[step] + decision.operation, marks[step + 1])
    let points = fileSystem.recordedOperations
    return points.lastIndex { $0 <= operation } ?? 0
  }

  private mutating func open() throws {
    opening += 1
    let log = try check.open(fileSystem, opening: opening)
    self.log = log
    let operation = fileSystem.operationCount
    let found = try check.candidate(log, history, operation: Int.max, isKill: true)
    history.reopen(at: found, operation: operation)
    mayBePoisoned = false
    hasCommitted = false
    mayHaveLostWrites = false
  }

  private mutating func run(_ step: SimulationStep) throws(SimulationFailure) {
    step.fault?.install(in: fileSystem)
    let (began, firedCount) = (fileSystem.operationCount, fileSystem.firedFaultCount)
    let refusedCount = fileSystem.refusedOperationCount
    var problem: LogError?
    do {
      try perform(step.action)
    } catch let error as LogError {
      problem = error
    } catch let failure as SimulationFailure {
      throw failure
    } catch { throw SimulationFailure(.unexpectedError, "\(error)") }
    SimulatedFault.remove(from: fileSystem)
    if step.fault != nil { counts.faults += 1 }
    // One that never came excuses nothing. Who asks how much is free need not try to write.
    let hasFired =
      fileSystem.firedFaultCount > firedCount || fileSystem.refusedOperationCount > refusedCount
      || (step.fault?.isOfSpace == true && problem?.isDiskFull == true)
    if let fault = step.fault, hasFired {
      counts.firedFaults += 1
      try recover(from: fault, in: step, after: began, problem)
    } else if let problem {
      try pass(problem, in: step)
    }
  }

  private mutating func recover(
    from fault: SimulatedFault, in step: SimulationStep, after operation: Int,
    _ problem: LogError?
  ) throws(SimulationFailure) {
    if fault.mayLoseWrites { history.loseUnsynchronized(after: operation) }
    if fault.mayRevertPages { mayHaveLostWrites = true }
    if case .synchronization(.sticky) = fault.effect {
      mayNeverSynchronize = true
      if problem != nil { isHopeless = true }
    }
    // A full disk poisons nothing. Other faults may in work whose failure is passed over.
    if !fault.isOfSpace { mayBePoisoned = true }
    guard let problem else { return }
    guard fault.excuses(problem, isReverted: mayHaveLostWrites) else {
      return try pass(problem, in: step)
    }
    counts.failedSteps += 1
    if fault.mayLoseWrites { counts.failedSynchronizations += 1 }
    // Half of the processes give up, the others go on with the same handle.
    guard log == nil || fault.operation % 2 == 0 else {
      return try expectUnchanged(after: fault, problem)
    }
    kept = []
    log = nil
    try StoreCheck.failing(.refused) { try open() }
  }

  /// What failed left everything as it was, for those who read.
  private func expectUnchanged(
    after fault: SimulatedFault, _ problem: LogError
  ) throws(SimulationFailure) {
    // A page that the operating system reverted cannot be read; nobody is told a wrong value.
    guard let log, !mayHaveLostWrites else { return }
    try StoreCheck.failing(.unexpectedError) {
      if let difference = try check.difference(log.snapshot(), history.state) {
        throw SimulationFailure(.wrongContents, "after \(problem): \(difference)")
      }
    }
  }

  /// An error without a fault: fine where an earlier fault poisoned the log.
  private mutating func pass(
    _ problem: LogError, in step: SimulationStep
  ) throws(SimulationFailure) {
    switch problem {
    case .poisoned where mayBePoisoned:
      kept = []
      log = nil
      try StoreCheck.failing(.refused) { try open() }
    case .fileIO where mayNeverSynchronize, .poisoned where mayNeverSynchronize:
      // The disk broke in work whose failure is passed over, such as a merge of indexes.
      isHopeless = true
    default: throw SimulationFailure(.unexpectedError, "\(step.line): \(problem)")
    }
  }

  // MARK: Actions

  private mutating func perform(_ action: SimulationStep.Action) throws {
    guard let log else { return try open() }
    switch action {
    case .commit(let changes, let durability): try commit(changes, durability, to: log)
    case .transact(let changes, let durability):
      let before = self
      try commit(changes, durability) {
        try log.transact(durability: durability) {
          try before.write(before.allowed(changes), in: $0)
        }
      }
    case .abandon(let changes):
      do {
        try log.transact { transaction in
          try write(allowed(changes), in: transaction)
          throw Abandoned()
        }
      } catch is Abandoned {}
    case .seal: try log.sealActiveSegment()
    case .merge: try log.mergeIndexes()
    case .compact(let mask, let meanwhile): try compact(log, mask: mask, meanwhile: meanwhile)
    case .cancelCompaction(let mask): try compact(log, mask: mask, meanwhile: nil)
    case .synchronize:
      try log.synchronize()
      history.makeDurable(at: fileSystem.operationCount)
    case .reopen: try reopen(log)
    case .hold: kept.append((log.snapshot(), history.state))
    case .compare: try compareKept()
    }
  }

  private mutating func reopen(_ log: Log) throws {
    try compareKept()
    self.log = nil
    // What was only recovered stays as durable as it was; a poisoned log closes without sealing,
    // and throws where something that it shows is not durable.
    let (hasCommitted, isPoisoned) = (self.hasCommitted, self.isPoisoned(log))
    try log.close()
    if hasCommitted { history.makeDurable(at: fileSystem.operationCount) }
    try open()
    if hasCommitted, !isPoisoned, let tail = self.log?.recoveryReport.tail, tail != .clean {
      throw SimulationFailure(.wrongContents, "a log that was closed is found to end \(tail)")
    }
  }

  /// Whether a fault poisoned the log; asks it without an operation of the file system.
  private func isPoisoned(_ log: Log) -> Bool {
    guard mayBePoisoned || mayNeverSynchronize else { return false }
    do {
      try log.transact { _ in throw Abandoned() }
    } catch LogError.poisoned { return true } catch {}
    return false
  }

  private mutating func compareKept() throws {
    defer { kept = [] }
    // Of pages that reverted snapshots may say that they cannot be read.
    for (snapshot, state) in kept where !mayHaveLostWrites {
      if let difference = try check.difference(snapshot, state) {
        throw SimulationFailure(.changedSnapshot, difference)
      }
    }
  }

  /// Deletions from the catalog become nothing: its records are only replaced.
  private func allowed(_ changes: [SimulatedChange]) -> [SimulatedChange] {
    changes.filter { $0.byteCount != nil || !check.knobs.isPermanent($0.key) }
  }

  private mutating func commit(
    _ changes: [SimulatedChange], _ durability: Durability, to log: Log
  ) throws {
    let batch = log.makeBatch()
    for change in allowed(changes) {
      let key = check.knobs.bytes(ofKey: change.key)
      let collection = check.knobs.collection(of: change.key)
      if change.byteCount == nil {
        try batch.delete(key, in: collection)
      } else {
        try batch.put(
          key, in: collection, schemaVersion: change.schemaVersion, payload: change.payload)
      }
    }
    try commit(changes, durability) { try log.commit(batch, durability: durability) }
  }

  private mutating func commit(
    _ changes: [SimulatedChange], _ durability: Durability, _ body: () throws -> Void
  ) throws {
    let changes = allowed(changes)
    guard !changes.isEmpty else { return try body() }
    history.begin(changes, at: fileSystem.operationCount)
    try body()
    counts.commits += 1
    hasCommitted = true
    history.acknowledge(at: fileSystem.operationCount, isDurable: durability == .full)
  }

  private func write(_ changes: [SimulatedChange], in transaction: Transaction) throws {
    for change in changes {
      let key = check.knobs.bytes(ofKey: change.key)
      let collection = check.knobs.collection(of: change.key)
      if change.byteCount == nil {
        try transaction.delete(key, in: collection)
      } else {
        try transaction.put(
          key, in: collection, schemaVersion: change.schemaVersion, payload: change.payload)
      }
    }
    let state = history.state.applying(changes)
    for change in changes {
      let key = check.knobs.bytes(ofKey: change.key)
      let found = try transaction.record(for: key, in: check.knobs.collection(of: change.key))
      guard found?.payload == state.values[change.key]?.payload else {
        throw SimulationFailure(.wrongContents, "a transaction does not see its own changes")
      }
    }
  }

  /// `meanwhile` is nothing where the compaction is given up.
  private mutating func compact(_ log: Log, mask: UInt64, meanwhile: [SimulatedChange]?) throws {
    let sealed = try log.statistics().segments.filter { !$0.isActive }
    let chosen = sealed.enumerated().filter { mask >> UInt64($0.offset % 64) & 1 == 1 }
    guard !chosen.isEmpty else { return }
    let rewrite = try log.beginRewrite(of: Set(chosen.map(\.element.identifier)))
    var carried = 0
    while let record = try rewrite.next() {
      try rewrite.keep(record)
      carried += 1
      if carried == 2, let meanwhile, !meanwhile.isEmpty {
        try commit(meanwhile, .process, to: log)
      }
    }
    guard meanwhile != nil else { return rewrite.cancel() }
    try rewrite.publish()
    counts.compactions += 1
  }
}
