import StorageTestSupport
import Testing

@testable import LogStore

@Suite("Sums of live totals")
struct LiveTotalsSumTests {
  private struct Record {
    let version: CollectionVersion
    let byteCount: UInt64
  }

  @Test("P5: taking sums away leaves what taking their records away does", arguments: 1...40)
  func sumsAreRecords(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    // More versions than lie in an array.
    let versions = (0..<[1, 3, 50][seed % 3]).map {
      CollectionVersion(
        collection: CollectionIdentifier(UInt32(1 + $0 % 7)), schemaVersion: UInt64($0))
    }
    let records = (0..<300).map { _ in
      Record(
        version: versions.randomElement(using: &generator) ?? versions[0],
        byteCount: .random(in: 0...5000, using: &generator))
    }
    var one = LiveTotals()
    for record in records { one.add(record.version, byteCount: record.byteCount) }
    var sums = one
    let count = [0, 1, 299, 300, Int.random(in: 0...300, using: &generator)][seed % 5]
    var gone = LiveTotals()
    for record in records.shuffled(using: &generator).prefix(count) {
      one.remove(record.version, byteCount: record.byteCount)
      gone.add(record.version, byteCount: record.byteCount)
    }
    sums.remove(gone)
    #expect(sums == one, "seed \(seed)")
    if count == 300 { #expect(sums == LiveTotals()) }
  }

  @Test("more than there is, as a damaged manifest may claim, leaves nothing")
  func neverBelowZero() {
    let version = CollectionVersion(collection: CollectionIdentifier(1), schemaVersion: 2)
    let other = CollectionVersion(collection: CollectionIdentifier(1), schemaVersion: 3)
    var totals = LiveTotals()
    totals.add(version, byteCount: 10)
    var gone = LiveTotals()
    for _ in 0..<3 { gone.add(version, byteCount: 20) }
    gone.add(other, byteCount: 5)
    totals.remove(gone)
    #expect(totals == LiveTotals())
  }
}
