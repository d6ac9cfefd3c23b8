internal import FileIO

/// Who may read ahead for the walks of one log: so many at a time, and with threads that go from
/// one walk to the next. Safe on any thread.
final class ReadAheadPool: Sendable {
  /// How many records a cursor walks before others are read ahead: a millisecond, in which a thread
  /// can be started many times.
  let aloneCount: Int
  /// Says whether it is worth it: the system's clock, because that of an application may stand
  /// still.
  let timeSource: any TimeSource
  private let makeWorker: @Sendable () -> SerialWorker
  private let state: Lock<State>

  /// What it takes to read ahead for one walk: a thread, and memory for two portions, which is kept
  /// for the next walk. To get it from the system takes half a millisecond.
  struct Tools: Sendable {
    let worker: SerialWorker
    let portions: (WalkedRecords, WalkedRecords)
  }

  private struct State {
    /// Those that no walk has.
    var idle: [Tools] = []
    /// How many more may be made.
    var leftCount: Int
  }

  /// Most walks for which somebody reads ahead at the same time; others are walked alone, so that
  /// neither threads nor memory are without bound.
  static let walkCountMaximum = min(2 * Processors.count, 16)

  init(
    aloneCount: Int = 4096, timeSource: any TimeSource = SystemTimeSource(),
    walkCount: Int = walkCountMaximum,
    makeWorker: @escaping @Sendable () -> SerialWorker = { SerialWorker() }
  ) {
    self.aloneCount = aloneCount
    self.timeSource = timeSource
    self.makeWorker = makeWorker
    state = Lock(State(leftCount: walkCount))
  }

  /// The tools for one walk; nothing when all are with others.
  func take() -> Tools? {
    state.withLock { state in
      // The one that was used last: its thread may still be there.
      if let tools = state.idle.popLast() { return tools }
      guard state.leftCount > 0 else { return nil }
      state.leftCount -= 1
      return Tools(worker: makeWorker(), portions: (WalkedRecords(), WalkedRecords()))
    }
  }

  func giveBack(_ tools: Tools) {
    tools.portions.0.clear()
    tools.portions.1.clear()
    state.withLock { state in state.idle.append(tools) }
  }
}
