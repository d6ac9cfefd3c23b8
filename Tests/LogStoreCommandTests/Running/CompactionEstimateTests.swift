import ObjectStore
import Testing

@testable import LogStoreCommands

@Suite("What a dry run says of the time is that of all types")
struct CompactionEstimateTests {
  @Test("Each type has its share of the time that an estimate may take")
  func shares() throws {
    let bench = try CommandBench()
    for type in ["Alpha", "Beta", "Gamma"] {
      let rows = (0..<100).map { "{\"id\":\($0)}\n" }.joined()
      bench.run("import STORE --type \(type) --key id --infer", input: rows)
    }
    let store = try Store.open(at: bench.store, history: nil, configuration: .inspection)
    var now = ContinuousClock.now
    let estimate = try CompactionEstimate(store) {
      now += .milliseconds(10)
      return now
    }
    #expect(estimate.samples.map(\.recordCount) == [100, 100, 100])
    #expect(estimate.samples.map(\.readCount) == [7, 7, 7])
    #expect(estimate.secondsForEach == 0.01)
  }

  @Test("A type counts as much as it has records, and not as much as was read of it")
  func weights() {
    let estimate = CompactionEstimate([
      CompactionEstimate.Sample(recordCount: 900, readCount: 10, duration: .seconds(1)),
      CompactionEstimate.Sample(recordCount: 100, readCount: 1000, duration: .seconds(1)),
      CompactionEstimate.Sample(recordCount: 50),
    ])
    let seconds = estimate.secondsForEach ?? 0
    #expect(abs(seconds - 0.0901) < 1e-9)
    #expect(CompactionEstimate([]).secondsForEach == nil)
  }
}
