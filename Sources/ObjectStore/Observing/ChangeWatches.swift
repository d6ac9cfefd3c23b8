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
    /// What is watched, and whether some watch of it keeps keys.
    var types: [TypeIdentity: Bool] = [:]
    var nextNumber = 0
    var isFinished = false
    /// Transactions that make notes and have not told of them.
    var writeCount = 0

    mutating func addTypes(of watch: ChangeWatch) {
      for type in watch.types { types[type] = watch.keepsKeys || types[type] == true }
    }
  }

  private let state = Lock(State())
  /// Whether nobody uses the store any more who watches; held by who does.
  private let isOver = Lock(false)

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
      state.addTypes(of: watch)
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
      state.types = [:]
      for watch in state.watches.values { state.addTypes(of: watch) }
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

  /// What `body` gives, which may have the store's log as long as it runs; nothing once the watches
  /// were ended.
  ///
  /// ``finish()`` waits for it: who watches must not be the last to have the log, and with it the
  /// store's lock, when somebody lets the store go and opens it again.
  func beforeEnd<Value: Sendable>(_ body: () -> Value?) -> Value? {
    isOver.withLock { isOver in isOver ? nil : body() }
  }

  /// Ends all watches, once they were told of the transactions that make notes; what they did not
  /// take yet they still take. Waits for snapshots that are being taken, and not for who tells, who
  /// may need the thread that calls this.
  func finish() {
    isOver.withLock { isOver in isOver = true }
    end { state in
      state.isFinished = true
      state.types = [:]
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

  /// Whether they were ended; for tests.
  var isFinished: Bool { state.withLock { state in state.isFinished } }

  /// How many there are; for tests.
  var count: Int { state.withLock { state in state.watches.count } }
}
