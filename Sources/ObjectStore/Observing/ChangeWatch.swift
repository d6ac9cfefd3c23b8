internal import FileIO
internal import SchemaRegistry

/// What somebody who watches some types has not been told yet. Safe on any thread.
final class ChangeWatch: Sendable {
  private struct State {
    var pending = ChangedKeys()
    var isFinished = false
    /// Who waits, by a number of their own.
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    var nextNumber = 0

    mutating func takeWaiting() -> [CheckedContinuation<Void, Never>] {
      defer { waiting = [:] }
      return Array(waiting.values)
    }
  }

  let types: Set<TypeIdentity>
  let keepsKeys: Bool
  private let state = Lock(State())

  /// One that, without `keepsKeys`, only tells that something changed.
  init(_ types: Set<TypeIdentity>, keepsKeys: Bool) {
    self.types = types
    self.keepsKeys = keepsKeys
  }

  /// Adds what a commit changed; nothing where it made no notes, and may have changed anything.
  func add(_ changes: NotedChanges?) {
    var added = ChangedKeys()
    for type in types { added.formUnion(changes?.keysByType[type] ?? .any) }
    if added.isEmpty { return }
    if !keepsKeys { added = .any }
    let all = added
    let waiting = state.withLock { state in
      state.pending.formUnion(all)
      return state.takeWaiting()
    }
    for waiter in waiting { waiter.resume() }
  }

  /// Nothing comes any more; what was not taken yet still is.
  func finish() {
    let waiting = state.withLock { state in
      state.isFinished = true
      return state.takeWaiting()
    }
    for waiter in waiting { waiter.resume() }
  }

  /// What changed since it was asked last, as soon as something did; nothing when nothing comes any
  /// more, or the task is cancelled, after which another may go on.
  func next() async -> ChangedKeys? {
    while !Task.isCancelled {
      if let changed = take() { return changed }
      if state.withLock({ state in state.isFinished }) { return take() }
      await wait()
    }
    return nil
  }

  private func take() -> ChangedKeys? {
    state.withLock { state in
      guard !state.pending.isEmpty else { return nil }
      defer { state.pending = ChangedKeys() }
      return state.pending
    }
  }

  /// Returns when there may be something to take, or nothing to wait for.
  private func wait() async {
    let number = state.withLock { state in
      state.nextNumber += 1
      return state.nextNumber
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { (waiter: CheckedContinuation<Void, Never>) in
        let mayWait = state.withLock { state in
          let mayWait = state.pending.isEmpty && !state.isFinished
          if mayWait { state.waiting[number] = waiter }
          return mayWait
        }
        // Who was cancelled before it waited is not let go by anybody else.
        if !mayWait { waiter.resume() } else if Task.isCancelled { letGo(number) }
      }
    } onCancel: {
      letGo(number)
    }
  }

  private func letGo(_ number: Int) {
    state.withLock { state in state.waiting.removeValue(forKey: number) }?.resume()
  }

  /// Whether there is something to take; for tests.
  var isRung: Bool { state.withLock { state in !state.pending.isEmpty } }
}
