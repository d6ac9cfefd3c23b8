import FileIO
import LogStore
import StorageTestSupport
import Testing

@testable import Compaction

@Suite("Where a compaction ends, and what it says it did")
struct CompactionEndTests {
  private typealias Base = DictionaryCompactionTests

  @Test("A plan that is carried out again does nothing, and says so")
  func stalePlan() throws {
    let log = try CompactorTests.open(InMemoryFileSystem())
    try CompactorTests.put(0..<100, log)
    try CompactorTests.put(0..<100, log)
    try log.sealActiveSegment()
    let compactor = Compactor(log)
    let plan = try compactor.plan()
    #expect(try compactor.carryOut(plan).segmentCount == plan.segmentCount)
    let segments = try log.statistics().segments.map(\.identifier)
    let again = try compactor.carryOut(plan)
    #expect(again.segmentCount == 0)
    #expect(try log.statistics().segments.map(\.identifier) == segments)
  }

  @Test("A plan of which a part is gone counts the segments that there were")
  func partlyStalePlan() throws {
    let log = try CompactorTests.open(InMemoryFileSystem())
    try CompactorTests.put(0..<100, log)
    try CompactorTests.put(0..<100, log)
    try log.sealActiveSegment()
    let plan = try Compactor(log).plan()
    let first = try #require(plan.steps.first)
    #expect(first.inputs.count > 1)
    let rewrite = try log.beginRewrite(of: [first.inputs[0]])
    while try rewrite.carryOver() {}
    try rewrite.publish()
    #expect(try Compactor(log).carryOut(plan).segmentCount == plan.segmentCount - 1)
  }

  @Test("Ended when the plan has come to its end, it is no cancelled one, and begins nothing more")
  func endedAtTheEnd() throws {
    for isEnded in [false, true] {
      let log = try Base.open(InMemoryFileSystem())
      try Base.fill(log, version: 0)
      try Compactor(log).run()
      let runs = try log.statistics().runs.map(\.identifier)
      let report = try Compactor(log, upgrader: Base.AddingUpgrader()).run(.upgradesOnly) {
        !isEnded || $0.stepCount < $0.stepCountTotal
      }
      #expect(!report.wasCancelled)
      #expect(report.upgradedCount == UInt64(Base.count))
      let dictionaries = try log.statistics().dictionaries.count
      #expect(dictionaries == (isEnded ? 2 : 1), "the old one is left out afterwards")
      #expect(try (log.statistics().runs.map(\.identifier) == runs) == isEnded)
    }
  }
}
