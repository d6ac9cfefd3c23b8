import FileIO
import Foundation
import LogStore
import StorageTestSupport
import Synchronization

/// Writes a store on several threads until power is lost or time is up, and tells what it promised.
///
/// Again and again: open, let all writers commit while segments are rewritten beside them, then
/// close, synchronize, or let go.
struct WriterSession {
  let path: String
  let seed: UInt64
  /// Promises durability without synchronizing: what a check must find out.
  let omitsSynchronization: Bool
  private var generator: SeededGenerator

  init(path: String, seed: UInt64, session: UInt64, omitsSynchronization: Bool) {
    self.path = path
    self.seed = seed
    self.omitsSynchronization = omitsSynchronization
    generator = SeededGenerator(seed: seed &+ session &* 0x9E37_79B9)
  }

  mutating func run(seconds: Double) throws {
    let end = Date(timeIntervalSinceNow: seconds)
    while Date() < end { try runOnce() }
  }

  private mutating func runOnce() throws {
    var configuration = LogConfiguration()
    // Sealing a segment synchronizes, and so does closing: neither where that is to be omitted.
    let shift = omitsSynchronization ? 13 : UInt64.random(in: 0..<7, using: &generator)
    let size = UInt64(8 << 10) << shift
    configuration.segmentByteCountMinimum = size
    configuration.segmentByteCountMaximum = size
    configuration.readMode = Bool.random(using: &generator) ? .mapped : .buffered
    let log = try Log.open(at: path, configuration: configuration)
    let progress = try StoreContents(log).progress()
    let commitCount =
      omitsSynchronization ? 1_000_000 : Int.random(in: 1...60, using: &generator)
    let rewriteSeed = generator.next()
    let writing = Writing(log, seed, omitsSynchronization: omitsSynchronization)
    let failure = Lock<(any Error)?>(nil)
    defer { withExtendedLifetime(log) {} }
    _ = Threads.run(PlannedCommit.writerCount + 1) { number in
      do {
        if number == PlannedCommit.writerCount {
          try writing.rewrite(seed: rewriteSeed)
        } else {
          defer { writing.endWriter() }
          let first = progress[number] + 1
          for next in first..<(first + commitCount) { try writing.commit(number, next) }
        }
      } catch {
        failure.withLock { failure in failure = failure ?? error }
      }
    }
    if let failure = failure.withLock({ failure in failure }) { throw failure }
    switch Int.random(in: 0..<4, using: &generator) {
    case 0, 1:
      try log.close()
      try Self.tell(.allDurable)
    case 2:
      try log.synchronize()
      try Self.tell(.allDurable)
    default: break
    }
  }

  /// One write of the system for each line, so that none is lost with this process.
  static func tell(_ acknowledgement: Acknowledgement) throws {
    let bytes = [UInt8](acknowledgement.line.utf8)
    try bytes.withUnsafeBytes { try DescriptorOutput.standardOutput().write($0) }
  }

  /// What the threads of one opening share.
  private final class Writing: Sendable {
    /// Not kept alive: threads that end let go of this object late, and the next opening of the
    /// store must not find it in use.
    private unowned let log: Log
    private let seed: UInt64
    private let omitsSynchronization: Bool
    private let runningWriters = Atomic(PlannedCommit.writerCount)

    init(_ log: Log, _ seed: UInt64, omitsSynchronization: Bool) {
      self.log = log
      self.seed = seed
      self.omitsSynchronization = omitsSynchronization
    }

    func endWriter() { runningWriters.subtract(1, ordering: .acquiringAndReleasing) }

    func commit(_ writer: Int, _ number: Int) throws {
      let planned = PlannedCommit(seed: seed, writer: writer, number: number)
      let durability = omitsSynchronization ? .process : planned.durability
      let sequence =
        try planned.isTransaction
        ? transact(planned, durability) : commit(planned, durability)
      try WriterSession.tell(
        planned.durability == .full
          ? .durable(writer: writer, number: number, sequence: sequence)
          : .visible(writer: writer, number: number, sequence: sequence))
    }

    /// Returns the sequence of the commit's first record, which tells the writer's progress.
    private func commit(_ planned: PlannedCommit, _ durability: Durability) throws -> UInt64 {
      let batch = log.makeBatch()
      for change in planned.changes {
        if let payload = change.payload {
          try batch.put(
            change.key, in: PlannedCommit.collection, schemaVersion: 0, payload: payload)
        } else {
          try batch.delete(change.key, in: PlannedCommit.collection)
        }
      }
      let last = try log.commit(batch, durability: durability).rawValue
      return last - UInt64(batch.count - 1)
    }

    /// Returns the same of a transaction.
    private func transact(_ planned: PlannedCommit, _ durability: Durability) throws -> UInt64 {
      try log.transact(durability: durability) { transaction in
        for change in planned.changes {
          if let payload = change.payload {
            try transaction.put(
              change.key, in: PlannedCommit.collection, schemaVersion: 0, payload: payload)
          } else {
            try transaction.delete(change.key, in: PlannedCommit.collection)
          }
        }
        for key in PlannedCommit.sharedCounterKeys {
          let found = try transaction.record(for: key, in: PlannedCommit.collection)
          guard let number = PlannedCommit.number(found?.payload) else {
            throw CaseFailure("a shared counter is no number")
          }
          try transaction.put(
            key, in: PlannedCommit.collection, schemaVersion: 0,
            payload: [UInt8]("\(number + 1)".utf8))
        }
      }
      let progress = try log.snapshot().record(
        for: planned.changes[0].key, in: PlannedCommit.collection)
      guard let progress, progress.payload == planned.changes[0].payload else {
        throw CaseFailure("a transaction that returned is not seen")
      }
      return progress.sequence.rawValue
    }

    /// Rewrites some of the sealed segments again and again while the writers write.
    func rewrite(seed: UInt64) throws {
      if omitsSynchronization { return }
      var generator = SeededGenerator(seed: seed)
      while runningWriters.load(ordering: .acquiring) > 0 {
        Thread.sleep(forTimeInterval: Double.random(in: 0..<0.02, using: &generator))
        if Int.random(in: 0..<3, using: &generator) == 0 { try log.sealActiveSegment() }
        let sealed = try log.statistics().segments.filter { !$0.isActive }
        let chosen = sealed.filter { _ in Bool.random(using: &generator) }
        let rewrite = try log.beginRewrite(of: Set(chosen.map(\.identifier)))
        while let record = try rewrite.next() { try rewrite.keep(record) }
        if Int.random(in: 0..<6, using: &generator) == 0 {
          rewrite.cancel()
        } else {
          try rewrite.publish()
        }
      }
    }
  }
}
