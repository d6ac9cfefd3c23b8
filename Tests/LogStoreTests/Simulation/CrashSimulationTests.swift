import LogStoreSimulation
import StorageTestSupport
import Testing

/// The crash simulator, as far as a debug build gets in a few seconds; the command
/// `logstore-simulation` runs the same for millions of states.
@Suite struct CrashSimulationTests {
  @Test(
    "P1, P2, P3, P4, P9, P10: crashes and errors leave a prefix with all that was promised",
    arguments: 0..<8)
  func seedsFindNothing(part: Int) throws {
    let first = UInt64(part) * 3 + 1
    if let found = BugHunt(defect: nil).run(seeds: first...(first + 2)) {
      Issue.record("seed \(found.seed): \(found.failure)")
    }
  }

  @Test("P25: a seed gives the same states each time")
  func seedsAreRepeatable() throws {
    for seed in UInt64(40)..<42 {
      var first = Simulation(seed: seed, effort: .quick)
      var second = Simulation(seed: seed, effort: .quick)
      try first.run()
      try second.run()
      #expect(first.counts == second.counts, "seed \(seed)")
    }
  }

  @Test("a script is read as it was written")
  func scriptsSurviveTheirText() throws {
    let found = try #require(
      BugHunt(defect: .omission(.synchronizationTriedAgain)).run(seeds: 1...60))
    let text = found.failure.script.description
    let again = try SimulationScript(text: text)
    #expect(again == found.failure.script)
    #expect(again.description == text)
  }

  @Test(
    "lines that are none of a script are refused",
    arguments: [
      "commit", "commit full put 1", "knob seed x", "knob color red", "crash", "crash x kill",
      "fault 1 error", "seal\nfault 1 sometimes", "read never 1 2 3", "dance",
    ])
  func scriptsAreChecked(text: String) {
    #expect(throws: CaseFailure.self) { try SimulationScript(text: text) }
  }
}
