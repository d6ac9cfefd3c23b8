internal import FileIO
internal import SchemaRegistry

/// Who watches an open store; commits tell them what they changed. Safe on any thread.
///
/// A watch that begins while a transaction runs may find that it made no notes for it, and is told
/// that any object may have changed: it is told too much rather than too little. Closing does not
/// wait for such a transaction, and ends the watch without a word of it where that is not told yet:
/// to count transactions that nobody watches would cost each commit an allocation.
final class ChangeWatches: Sendable {
  private struct State {
    var watches: [Int: ChangeWatch] = [:]
    var types: Set<TypeIdentity> = []
    var nextNumber = 0
    var isFinished = false
    /// Transactions that make notes and have not told of them.
    var writeCount = 0
  }

  private let state = Lock(State())

  deinit { finish() }

  /// Has changes of `types` told from now on, until the lease is let go.
  ///
  /// Every commit is told that a snapshot does not show which was taken before. After
  /// ``finish()`` it has ended.
  func add(_ types: Set<TypeIdentity>, keepsKeys: Bool) -> WatchLease {
    let watch = ChangeWatch(types, keepsKeys: keepsKeys)
    let number: Int? = state.withLock { state in
      if state.isFinished { return nil }
      state.nextNumber += 1
      state.watches[state.nextNumber] = watch
      state.types.formUnion(types)
      return state.nextNumber
    }
    if number == nil { watch.finish() }
    return WatchLease(watch) { [weak self] in
      if let number { self?.remove(number) }
    }
  }

  private func remove(_ number: Int) {
    state.withLock { state in
      guard state.watches.removeValue(forKey: number) != nil else { return }
      state.types = state.watches.values.reduce(into: []) { $0.formUnion($1.types) }
    }
  }

  /// What a transaction that begins makes its notes in; nothing when nobody watches.
  func begin() -> NotedChanges? {
    let types = state.withLock { state in
      if !state.types.isEmpty { state.writeCount += 1 }
      return state.types
    }
    return types.isEmpty ? nil : NotedChanges(watching: types, WatchedWrite(self))
  }

  /// Tells of a commit that snapshots show from now on: what it noted, or nothing where it made no
  /// notes.
  ///
  /// Who began to watch, and took a snapshot, before the commit could be seen is found here: both
  /// take the lock.
  func tell(_ changes: NotedChanges?) {
    for watch in state.withLock({ state in Array(state.watches.values) }) { watch.add(changes) }
  }

  /// Ends all watches, once they were told of the transactions that make notes; what they did not
  /// take yet they still take. Returns at once: who tells may need the thread that calls this.
  func finish() {
    end { state in
      state.isFinished = true
      state.types = []
    }
  }

  /// A transaction has told of its notes, or failed.
  func writeEnded() { end { state in state.writeCount -= 1 } }

  private func end(_ change: (inout State) -> Void) {
    let ended: [ChangeWatch] = state.withLock { state in
      change(&state)
      guard state.isFinished, state.writeCount == 0 else { return [] }
      defer { state.watches = [:] }
      return Array(state.watches.values)
    }
    for watch in ended { watch.finish() }
  }

  var isFinished: Bool { state.withLock { state in state.isFinished } }

  /// How many there are; for tests.
  var count: Int { state.withLock { state in state.watches.count } }
}
