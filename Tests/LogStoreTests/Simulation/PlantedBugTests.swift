import LogStoreSimulation
import StorageTestSupport
import Testing

/// The simulator is worth what it finds: each of these bugs loses data, and each must be found.
@Suite struct PlantedBugTests {
  /// Seeds that a bug is looked for in; most are found in the first.
  static let seedCount: UInt64 = 16

  /// Where the search begins for bugs that need a rare mixture: from seed 1 a debug build would
  /// take minutes for them. `Scripts/simulate.sh bugs` does begin there, and shows where each is
  /// found.
  static func firstSeed(of defect: Defect) -> UInt64 {
    switch defect.description {
    case "appendedBehindTornWrite": 129
    case "publishedPageChanged": 65
    case "readErrorTakenForEnd": 40
    case "failedSynchronizationForgiven": 8
    case "totalsNotSettled": 20
    case "sweptBeforeManifestDurable": 15
    case "tombstoneDroppedEarly": 145
    default: 1
    }
  }

  @Test("every planted bug is found within its budget of seeds", arguments: Defect.all)
  func plantedBugsAreFound(defect: Defect) throws {
    let first = Self.firstSeed(of: defect)
    let found = try #require(
      BugHunt(defect: defect).run(seeds: first...(first + Self.seedCount)),
      "\(defect) is not found from seed \(first) on")
    print("\(defect): seed \(found.seed), \(found.counts.states) states: \(found.failure.failure)")
    // What was found can be seen again from the script alone, and not without the bug.
    let script = try SimulationScript(text: found.failure.script.description)
    #expect(ScriptReplay(script, defect: defect).search(limit: 200) != nil)
    #expect(ScriptReplay(script).failure() == nil)
    #expect(BugHunt(defect: nil).run(seeds: found.seed...found.seed) == nil)
  }

  @Test("there are enough planted bugs")
  func thereAreEnoughBugs() {
    #expect(Defect.all.count >= 25)
  }

  @Test("a failure shrinks to a handful of steps")
  func failuresShrink() throws {
    let defect = Defect.omission(.synchronizedOnlyOnce)
    let found = try #require(BugHunt(defect: defect).run(seeds: 1...Self.seedCount))
    var shrinker = ScriptShrinker(found.failure, defect: defect, stateLimit: 60)
    let small = shrinker.shrink()
    print("\(shrinker.attempts) candidates from \(found.failure.script.stepCount) steps:\n\(small)")
    #expect(small.failure.kind == found.failure.failure.kind)
    #expect(small.script.stepCount <= 4)
    #expect(ScriptReplay(small.script).failure() == nil)
  }
}
