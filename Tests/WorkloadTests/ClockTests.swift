import FileIO
import StorageTestSupport
import Testing

@testable import LogStore
@testable import WorkloadProcess

@Suite struct ClockTests {
  /// From the beginning of time to beyond what a commit time can hold, and back.
  static let times: [UInt64] = [
    0, 1_000_000_000, 1_735_689_600, 1_750_000_000, 2_100_000_000, 4_000_000_000, 6_029_000_000,
    1 << 40, .max,
  ]

  @Test("P24: a clock that jumps by years either way changes nothing but commit times")
  func jumpsChangeCommitTimesOnly() throws {
    let shown = Set(Self.times.map { CommitTime(secondsSince1970: $0) })
    try withEvery(UInt64(0)..<50) { seed in
      let still = InMemoryFileSystem()
      try RepeatableLogRun(seed: seed) { now, _ in now }.run(at: "/store", still)
      let jumping = InMemoryFileSystem()
      try RepeatableLogRun(seed: seed) { _, generator in
        Self.times[Int.random(in: 0..<Self.times.count, using: &generator)]
      }.run(at: "/store", jumping)

      let expected = try Self.records(still)
      let found = try Self.records(jumping)
      try check(expected.count > 10, "only \(expected.count) records are left")
      try check(
        expected.mapValues(Timeless.init) == found.mapValues(Timeless.init),
        "the contents differ")
      try check(Set(expected.values.map(\.commitTime)).count == 1, "a still clock shows two times")
      try check(
        found.values.allSatisfy { shown.contains($0.commitTime) },
        "a commit time is none that the clock showed")
      for fileSystem in [still, jumping] {
        let report = try LogVerifier.verify("/store", fileSystem: fileSystem)
        try check(report.isIntact, "\(report)")
      }
    }
  }

  /// A record without its commit time.
  private struct Timeless: Equatable {
    let schemaVersion: UInt64
    let sequence: CommitSequence
    let payload: [UInt8]

    init(_ record: StoredRecord) {
      schemaVersion = record.schemaVersion
      sequence = record.sequence
      payload = record.payload
    }
  }

  private struct Place: Hashable {
    let collection: CollectionIdentifier
    let key: [UInt8]
  }

  private static func records(
    _ fileSystem: InMemoryFileSystem
  ) throws -> [Place: StoredRecord] {
    var configuration = LogConfiguration()
    configuration.access = .readOnly
    let log = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    let snapshot = log.snapshot()
    var records: [Place: StoredRecord] = [:]
    for collection in RepeatableLogRun.collections {
      let cursor = try snapshot.records(in: collection)
      while let (key, record) = try cursor.next() {
        records[Place(collection: collection, key: key)] = record
      }
    }
    return records
  }
}
