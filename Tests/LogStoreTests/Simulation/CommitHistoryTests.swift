import Testing

@testable import LogStoreSimulation

@Suite("What the simulator takes for promised")
struct CommitHistoryTests {
  private static func history() -> CommitHistory {
    var history = CommitHistory(keyCount: 1)
    history.begin([SimulatedChange(key: 0, byteCount: 1)], at: 5)
    history.acknowledge(at: 10, isDurable: false)
    return history
  }

  @Test("P1: what a failed synchronization may lose was promised until then")
  func promisedUntilLost() {
    var history = Self.history()
    #expect(history.floor(at: 9, isKill: true) == 0)
    history.loseUnsynchronized(after: 20)
    #expect(history.floor(at: 10, isKill: true) == 1)
    #expect(history.floor(at: 20, isKill: true) == 1)
    #expect(history.floor(at: 21, isKill: true) == 0)
    #expect(history.floor(at: 20, isKill: false) == 0)
  }

  @Test("P1: what an opening found afterwards is promised again, until the next failure")
  func promisedAgain() {
    var history = Self.history()
    history.loseUnsynchronized(after: 20)
    history.reopen(at: 1, operation: 30)
    #expect(history.floor(at: 25, isKill: true) == 0)
    #expect(history.floor(at: 30, isKill: true) == 1)
    history.loseUnsynchronized(after: 40)
    #expect(history.floor(at: 15, isKill: true) == 1)
    // The second failure takes nothing back that was promised between the two.
    #expect(history.floor(at: 25, isKill: true) == 0)
    #expect(history.floor(at: 35, isKill: true) == 1)
    #expect(history.floor(at: 50, isKill: true) == 0)
    history.makeDurable(at: 60)
    #expect(history.floor(at: 60, isKill: false) == 1)
  }
}
