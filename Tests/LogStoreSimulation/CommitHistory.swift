/// The commits of a store through one of its lives, and what was promised of each at which moment.
///
/// Moments are numbers of operations of the file system. What a store may hold after a crash is a
/// candidate: the state after some commit that was begun, no older than the newest one promised.
struct CommitHistory: Sendable {
  struct Candidate: Sendable {
    /// The sequence of the commit's last record, and the one before its first.
    let sequence: UInt64
    let base: UInt64
    let state: ModelState
    /// Operations before it began; -1 for what the life began with.
    var begunAt: Int
    /// Operations after which it was found to be gone.
    var endedAt: Int?
    /// Operations after which it was promised to survive a kill, and a loss of power.
    var acknowledgedAt: Int?
    var durableAt: Int?
    /// From when on the operating system may have forgotten it until it was found to be there all
    /// the same, each time; the last one has no end as long as that is not known.
    var lostRanges: [ClosedRange<Int>] = []
    /// Whether it threw, so that it may be there or not until the next commit takes its place.
    var isUncertain = false
    let fingerprint: UInt64

    init(sequence: UInt64, base: UInt64, state: ModelState, begunAt: Int) {
      self.sequence = sequence
      self.base = base
      self.state = state
      self.begunAt = begunAt
      fingerprint = state.fingerprint
    }

    /// Whether a kill behind `operation` must leave it.
    func survivesKill(at operation: Int) -> Bool {
      if let durableAt, durableAt <= operation { return true }
      guard let acknowledgedAt, acknowledgedAt <= operation else { return false }
      return !lostRanges.contains { $0.contains(operation) }
    }

    /// Whether the operating system may have forgotten it by now.
    private var isLost: Bool { lostRanges.last?.upperBound == Int.max }

    mutating func lose(from operation: Int) {
      if !isLost { lostRanges.append(operation...Int.max) }
    }

    mutating func recover(at operation: Int) {
      guard isLost, let lost = lostRanges.popLast(), lost.lowerBound < operation else { return }
      lostRanges.append(lost.lowerBound...(operation - 1))
    }

    func existed(at operation: Int) -> Bool {
      begunAt < operation && (endedAt.map { operation <= $0 } ?? true)
    }
  }

  private(set) var candidates: [Candidate]
  /// What was there in earlier lives and cannot come back, but is a prefix still.
  private(set) var past: [Candidate] = []
  /// What a crash took back. Only a manifest rebuilt from the log may show it again, from a copy of
  /// the tail that was not in force: nobody was told that it was there for good.
  private(set) var undone: [Candidate] = []
  /// The commit that the store is at.
  private(set) var current: Int

  init(keyCount: Int) {
    var first = Candidate(
      sequence: 0, base: 0, state: ModelState(keyCount: keyCount), begunAt: -1)
    first.acknowledgedAt = 0
    first.durableAt = 0
    candidates = [first]
    current = 0
  }

  var sequence: UInt64 { candidates[current].sequence }
  var state: ModelState { candidates[current].state }

  // MARK: What happens

  /// A commit begins; it becomes current when it is acknowledged.
  mutating func begin(_ changes: [SimulatedChange], at operation: Int) {
    var candidate = Candidate(
      sequence: sequence + UInt64(changes.count), base: sequence,
      state: state.applying(changes), begunAt: operation)
    candidate.isUncertain = true
    candidates.append(candidate)
  }

  /// The commit that was begun last returned.
  mutating func acknowledge(at operation: Int, isDurable: Bool) {
    current = candidates.count - 1
    candidates[current].isUncertain = false
    candidates[current].acknowledgedAt = operation
    if isDurable { makeDurable(at: operation) }
  }

  /// A commit that was begun by mistake: nothing of it can be on the disk.
  mutating func forgetLast() { candidates.removeLast() }

  /// Everything that is there was promised to survive a loss of power.
  mutating func makeDurable(at operation: Int) {
    for index in candidates.indices where isOnLine(candidates[index]) {
      candidates[index].durableAt = candidates[index].durableAt ?? operation
    }
  }

  /// The operating system may have forgotten what was not durable, in an operation behind
  /// `operation`.
  mutating func loseUnsynchronized(after operation: Int) {
    for index in candidates.indices where candidates[index].durableAt == nil {
      candidates[index].lose(from: operation + 1)
    }
  }

  /// The store was opened again without a crash, and is at candidate `found`.
  mutating func reopen(at found: Int, operation: Int) {
    candidates[found].isUncertain = false
    current = found
    for index in candidates.indices where index != found && candidates[index].endedAt == nil {
      if !candidates[index].isUncertain, candidates[index].sequence > sequence {
        candidates[index].endedAt = operation
      }
    }
    for index in candidates.indices where isOnLine(candidates[index]) {
      candidates[index].acknowledgedAt = candidates[index].acknowledgedAt ?? operation
      candidates[index].recover(at: operation)
    }
  }

  private func isOnLine(_ candidate: Candidate) -> Bool {
    !candidate.isUncertain && candidate.endedAt == nil && candidate.sequence <= sequence
  }

  // MARK: What may be found

  /// The newest commit that must be there after a crash behind `operation`.
  func floor(at operation: Int, isKill: Bool) -> UInt64 {
    candidates.reduce(0) { floor, candidate in
      let isPromised =
        isKill
        ? candidate.survivesKill(at: operation)
        : candidate.durableAt.map { $0 <= operation } ?? false
      guard candidate.existed(at: operation), isPromised else { return floor }
      return max(floor, candidate.sequence)
    }
  }

  /// The candidates that a crash behind `operation` may leave.
  func allowed(at operation: Int, isKill: Bool) -> [Int] {
    let floor = floor(at: operation, isKill: isKill)
    return candidates.indices.filter { index in
      let candidate = candidates[index]
      guard candidate.existed(at: operation) else { return false }
      return candidate.isUncertain ? candidate.base >= floor : candidate.sequence >= floor
    }
  }

  /// The history of the life that begins with candidate `found` after a crash behind `operation`.
  func afterCrash(at operation: Int, isKill: Bool, found: Int) -> CommitHistory {
    var next = self
    var base = candidates[found]
    base.isUncertain = false
    base.begunAt = -1
    base.endedAt = nil
    base.acknowledgedAt = 0
    base.lostRanges = []
    // After a loss of power everything that is there is on the disk.
    base.durableAt = isKill ? base.durableAt.flatMap { $0 <= operation ? 0 : nil } : 0
    next.candidates = []
    next.past += candidates.filter { $0.sequence <= base.sequence }
    next.undone += candidates.filter { $0.sequence > base.sequence && $0.begunAt < operation }
    if isKill {
      for (index, old) in candidates.enumerated() where index != found {
        let isOlder =
          old.isUncertain ? old.base <= base.sequence : old.sequence <= base.sequence
        guard old.existed(at: operation), isOlder else { continue }
        var candidate = old
        candidate.begunAt = -1
        candidate.endedAt = nil
        candidate.durableAt = old.durableAt.flatMap { $0 <= operation ? 0 : nil }
        candidate.acknowledgedAt = candidate.isUncertain ? nil : 0
        candidate.lostRanges = []
        next.candidates.append(candidate)
      }
    }
    next.candidates.append(base)
    next.current = next.candidates.count - 1
    return next
  }
}
