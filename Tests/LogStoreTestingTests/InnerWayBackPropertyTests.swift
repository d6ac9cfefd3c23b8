import HistoryTestSupport
import LogStoreTesting
import ObjectStore
import Testing

/// What random changes inside of embedded objects mean for older apps.
@Suite struct InnerWayBackPropertyTests {
  @Test("What older apps may do with embedded objects that random versions changed, they can")
  func random() throws {
    var counts: [ForwardGrade: Int] = [:]
    var failures: [String] = []
    for seed in UInt64(1)...800 {
      var histories = RandomHistories(seed: seed)
      let history = histories.nextInside()
      guard history.issues.isEmpty else {
        failures.append("seed \(seed): \(history.issues)")
        continue
      }
      let person = TypeIdentity(introducedIn: 0, originalName: "Person")
      for version in 0..<history.latestVersion.rawValue {
        counts[history.forwardGrade(of: person, since: SchemaVersion(version)), default: 0] += 1
      }
      failures += try history.selfTest(samplesPerType: 10, seed: seed).map { "seed \(seed): \($0)" }
    }
    #expect(failures == [])
    #expect(counts.count == 3)
    #expect(counts.values.allSatisfy { $0 > 40 }, "\(counts)")
  }
}
