import FileIO
import StorageTestSupport
import Synchronization
import Testing

@testable import LogStore

/// Readers, writers and compaction at once; the invariant is one that any torn view breaks.
///
/// Every commit writes the same number to the ten keys of a group, one above the group's last, or
/// removes all ten. So a view shows ten equal numbers or none, and no number ever falls.
@Suite(.serialized) struct ConcurrencyTests {
  static let groupCount = 8
  static let keyCount = 10
  static let writerCount = 2
  static let readerCount = 8
  static let commitCount = 300
  /// How often each of the others comes by, at least.
  static let roundCount = 6

  @Test("P5: eight readers see whole commits beside two writers and compaction, in memory")
  func wholeCommitsInMemory() throws {
    for readMode in [LogConfiguration.ReadMode.mapped, .buffered] {
      try Self.run(on: InMemoryFileSystem(), at: "/store", readMode)
    }
  }

  @Test("P5: eight readers see whole commits beside two writers and compaction, on disk")
  func wholeCommitsOnDisk() throws {
    let directory = try TemporaryDirectory()
    for readMode in [LogConfiguration.ReadMode.mapped, .buffered] {
      try Self.run(on: POSIXFileSystem(), at: "\(directory.path)/\(readMode)", readMode)
    }
  }

  private static func run(
    on fileSystem: any FileSystem, at path: String, _ readMode: LogConfiguration.ReadMode
  ) throws {
    var configuration = TestLog.configuration
    configuration.segmentByteCountMinimum = 16 << 10
    configuration.segmentByteCountMaximum = 16 << 10
    configuration.readMode = readMode
    configuration.durability = .process
    configuration.maintenance = .background
    let log = try Log.open(at: path, configuration: configuration, fileSystem: fileSystem)
    let shared = Shared(log)
    let failures = Threads.run(writerCount + readerCount + 1) { number in
      switch number {
      case 0..<writerCount:
        defer { shared.endWriter() }
        try shared.write(seed: UInt64(number))
      case writerCount: try shared.compact()
      default: try shared.read(seed: UInt64(number))
      }
    }
    #expect(failures == [], "\(readMode)")
    try shared.checkEnd()
    try log.close()
    let again = try Log.open(at: path, configuration: configuration, fileSystem: fileSystem)
    #expect(again.recoveryReport.tail == .clean)
    #expect(try Shared(again).groups(of: again.snapshot()) == shared.groups(of: log.snapshot()))
    try again.close()
    let report = try LogVerifier.verify(path, fileSystem: fileSystem)
    #expect(report.isIntact && report.notes.isEmpty, "\(report)")
  }

  /// What the threads of a run share.
  final class Shared: Sendable {
    let log: Log
    private let runningWriters = Atomic(writerCount)
    /// The others that have not come by often enough; writers go on for them.
    private let waitingCount = Atomic(readerCount + 1)
    private let incrementCount = Atomic(0)

    init(_ log: Log) { self.log = log }

    var isWriting: Bool { runningWriters.load(ordering: .acquiring) > 0 }

    func endWriter() { runningWriters.subtract(1, ordering: .acquiringAndReleasing) }

    private func key(_ group: Int, _ position: Int) -> [UInt8] {
      TestLog.key(group * keyCount + position)
    }

    /// Adds one to the numbers of groups; the last group is also removed now and then.
    func write(seed: UInt64) throws {
      var generator = SeededGenerator(seed: seed)
      var count = 0
      while count < commitCount || waitingCount.load(ordering: .acquiring) > 0 {
        count += 1
        let group = Int.random(in: 0..<groupCount, using: &generator)
        let removes = group == groupCount - 1 && Bool.random(using: &generator)
        let padding = [UInt8](repeating: 7, count: Int.random(in: 0..<60, using: &generator))
        try log.transact { transaction in
          let found = try transaction.record(for: key(group, 0), in: TestLog.people)
          let next = UInt64(Self.number(found?.payload ?? []) + 1)
          for position in 0..<keyCount {
            if removes {
              try transaction.delete(key(group, position), in: TestLog.people)
            } else {
              try transaction.put(
                key(group, position), in: TestLog.people, schemaVersion: 1,
                payload: TestLog.key(Int(next)) + padding)
            }
          }
          if group < groupCount - 1 { incrementCount.add(1, ordering: .relaxed) }
        }
      }
    }

    /// Runs `body` until the writers have ended, which wait for some rounds of it that count.
    private func whileWriting(_ body: (_ round: Int) throws -> Bool) throws {
      var (round, counted) = (0, 0)
      defer {
        if counted < roundCount { waitingCount.subtract(1, ordering: .acquiringAndReleasing) }
      }
      while isWriting {
        round += 1
        guard try body(round) else { continue }
        counted += 1
        if counted == roundCount { waitingCount.subtract(1, ordering: .acquiringAndReleasing) }
      }
    }

    /// Rewrites all sealed segments again and again; every fourth time it gives up.
    func compact() throws {
      try whileWriting { round in
        if round % 3 == 0 { try log.sealActiveSegment() }
        let sealed = try log.statistics().segments.filter { !$0.isActive }
        let rewrite = try log.beginRewrite(of: Set(sealed.map(\.identifier)))
        while let record = try rewrite.next() { try rewrite.keep(record) }
        if round % 4 == 0 { rewrite.cancel() } else { try rewrite.publish() }
        return round % 4 != 0 && !sealed.isEmpty
      }
    }

    /// Checks views, one of them held for a while, until the writers have ended; those that show
    /// something new count.
    func read(seed: UInt64) throws {
      var generator = SeededGenerator(seed: seed)
      var held = log.snapshot()
      var heldGroups = try groups(of: held)
      var last = heldGroups
      try whileWriting { _ in
        let snapshot = log.snapshot()
        let seen = try groups(of: snapshot)
        for group in 0..<(groupCount - 1) where seen[group] < last[group] {
          throw CaseFailure("group \(group) fell from \(last[group]) to \(seen[group])")
        }
        let isNew = seen != last
        last = seen
        guard try groups(of: held) == heldGroups else {
          throw CaseFailure("a snapshot changed")
        }
        if Int.random(in: 0..<4, using: &generator) == 0 {
          held = snapshot
          heldGroups = seen
        }
        let group = Int.random(in: 0..<groupCount, using: &generator)
        for position in 0..<keyCount {
          let record = try snapshot.record(for: key(group, position), in: TestLog.people)
          guard Self.number(record?.payload ?? []) == seen[group] else {
            throw CaseFailure("a look-up and a walk of group \(group) differ")
          }
        }
        return isNew
      }
    }

    /// The number of each group, 0 where it is absent.
    func groups(of snapshot: Snapshot) throws -> [Int] {
      var numbers = [Int](repeating: 0, count: groupCount)
      var counts = numbers
      let cursor = try snapshot.records(in: TestLog.people)
      while let (key, record) = try cursor.next() {
        let group = Self.number(key) / keyCount
        let number = Self.number(record.payload)
        if counts[group] > 0, numbers[group] != number {
          throw CaseFailure("group \(group) shows \(numbers[group]) and \(number)")
        }
        counts[group] += 1
        numbers[group] = number
      }
      guard counts.allSatisfy({ $0 == 0 || $0 == keyCount }) else {
        throw CaseFailure("a group is shown in part: \(counts)")
      }
      return numbers
    }

    /// No increment was lost, and the totals are exact.
    func checkEnd() throws {
      let numbers = try groups(of: log.snapshot())
      let increments = incrementCount.load(ordering: .relaxed)
      #expect(numbers.dropLast().reduce(0, +) == increments)
      let live = numbers.filter { $0 > 0 }.count * keyCount
      #expect(try log.statistics().live.recordCount == UInt64(live))
    }

    private static func number(_ bytes: [UInt8]) -> Int {
      bytes.prefix(8).reduce(0) { $0 << 8 | Int($1) }
    }
  }
}
