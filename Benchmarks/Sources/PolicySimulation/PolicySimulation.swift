public import ObjectStore

/// A store without a disk: segments as lists of keys, which a real policy decides about.
///
/// After each segment that fills, the policy is asked for plans until it has none. It shows what a
/// policy costs in the long run, in seconds and without noise: how many records are written for
/// each one that the application writes, and how much of what lies there is live.
public struct PolicySimulation {
  /// What is tried, at which size.
  public struct Setup: Sendable {
    /// What decides.
    public var policy: CompactionPolicy
    /// What changes.
    public var workload: PolicyWorkload
    /// Whether survivors go to the segment that fresh records fill, instead of one of their own.
    public var mixesStreams = false
    /// Keys that are loaded first.
    public var keyCount = 20_000
    /// Records of a full segment.
    public var segmentRecordCount = 256
    /// How often as many changes as there are keys follow, the first half of them to settle.
    public var roundCount = 12
    /// Repeats a run.
    public var seed: UInt64 = 1

    /// A setup of the default size.
    public init(policy: CompactionPolicy, workload: PolicyWorkload) {
      self.policy = policy
      self.workload = workload
    }
  }

  /// What came out, of the second half of the changes.
  public struct Outcome: Sendable {
    /// Records written for each record that the application wrote; 1 without compaction.
    public let writeAmplification: Double
    /// The live part of all segments, on average.
    public let liveFraction: Double
    /// The most segments that there were.
    public let segmentCountMaximum: Int
  }

  private struct Record {
    let key: Int
    let sequence: UInt64
    let isTombstone: Bool
  }

  private struct Segment {
    let stream: SegmentStream
    var records: [Record] = []
    var liveCount = 0
    var tombstoneCount = 0
    var minimumSequence = UInt64.max
    var maximumSequence: UInt64 = 0
  }

  private static let recordByteCount: UInt64 = 100
  private static let stepCountMaximum = 100_000

  private let setup: Setup
  private var segments: [UInt32: Segment] = [:]
  private var active: UInt32 = 0
  private var nextSegment: UInt32 = 1
  private var sequence: UInt64 = 0
  /// The newest record of each key, and where it is.
  private var newest: [Int: (sequence: UInt64, segment: UInt32, isTombstone: Bool)] = [:]
  /// How many records of a key there are in all segments.
  private var copyCounts: [Int: Int] = [:]
  private var copiedCount = 0

  private init(_ setup: Setup) { self.setup = setup }

  /// Runs a setup.
  public static func run(_ setup: Setup) -> Outcome {
    var simulation = PolicySimulation(setup)
    return simulation.run()
  }

  private mutating func run() -> Outcome {
    for key in 0..<setup.keyCount { write(.put(key)) }
    var changes = PolicyChanges(setup.workload, keyCount: setup.keyCount, seed: setup.seed)
    let changeCount = setup.keyCount * setup.roundCount
    var copiedBefore = 0
    var liveFractions = 0.0
    var sampleCount = 0
    var segmentCountMaximum = 0
    for change in 0..<changeCount {
      if change == changeCount / 2 { copiedBefore = copiedCount }
      write(changes.next())
      guard change >= changeCount / 2, change % setup.segmentRecordCount == 0 else { continue }
      let live = segments.values.reduce(0) { $0 + $1.liveCount }
      let all = segments.values.reduce(0) { $0 + $1.records.count }
      liveFractions += Double(live) / Double(max(1, all))
      sampleCount += 1
      segmentCountMaximum = max(segmentCountMaximum, segments.count)
    }
    let written = changeCount - changeCount / 2
    return Outcome(
      writeAmplification: Double(written + copiedCount - copiedBefore) / Double(written),
      liveFraction: liveFractions / Double(max(1, sampleCount)),
      segmentCountMaximum: segmentCountMaximum)
  }

  private mutating func write(_ change: PolicyChange) {
    sequence += 1
    switch change {
    case .put(let key):
      append(Record(key: key, sequence: sequence, isTombstone: false))
    case .delete(let key):
      append(Record(key: key, sequence: sequence, isTombstone: true))
    }
    if segments[active]?.records.count ?? 0 >= setup.segmentRecordCount {
      active = 0
      compact()
    }
  }

  /// Puts a fresh record into the active segment.
  private mutating func append(_ record: Record) {
    if let old = newest[record.key], !old.isTombstone { segments[old.segment]?.liveCount -= 1 }
    if active == 0 { active = begin(.user) }
    put(record, into: active)
  }

  private mutating func put(_ record: Record, into segment: UInt32) {
    newest[record.key] = (record.sequence, segment, record.isTombstone)
    copyCounts[record.key, default: 0] += 1
    segments[segment]?.records.append(record)
    let minimum = segments[segment]?.minimumSequence ?? .max
    segments[segment]?.minimumSequence = min(minimum, record.sequence)
    let maximum = segments[segment]?.maximumSequence ?? 0
    segments[segment]?.maximumSequence = max(maximum, record.sequence)
    if record.isTombstone {
      segments[segment]?.tombstoneCount += 1
    } else {
      segments[segment]?.liveCount += 1
    }
  }

  private mutating func begin(_ stream: SegmentStream) -> UInt32 {
    defer { nextSegment += 1 }
    segments[nextSegment] = Segment(stream: stream)
    return nextSegment
  }

  private mutating func compact() {
    for _ in 0..<Self.stepCountMaximum {
      let plan = setup.policy.plan(
        statistics, targetByteCount: UInt64(setup.segmentRecordCount) * Self.recordByteCount
      ) { _ in false }
      guard let step = plan.steps.first else { return }
      rewrite(step.inputs.map(\.rawValue))
    }
    preconditionFailure("a policy must come to an end when nothing is written")
  }

  private mutating func rewrite(_ inputs: [UInt32]) {
    let records = inputs.flatMap { segments[$0]?.records ?? [] }.sorted { $0.key < $1.key }
    for input in inputs { segments[input] = nil }
    for record in records { copyCounts[record.key, default: 0] -= 1 }
    var output: UInt32 = 0
    for record in records {
      guard let last = newest[record.key], last.sequence == record.sequence else { continue }
      if record.isTombstone, copyCounts[record.key] == 0 {
        newest[record.key] = nil
        copyCounts[record.key] = nil
        continue
      }
      copiedCount += 1
      if setup.mixesStreams {
        if active == 0 { active = begin(.user) }
        put(record, into: active)
        if segments[active]?.records.count ?? 0 >= setup.segmentRecordCount { active = 0 }
      } else {
        if output == 0 { output = begin(.compaction) }
        put(record, into: output)
        if segments[output]?.records.count ?? 0 >= setup.segmentRecordCount { output = 0 }
      }
    }
  }

  private var statistics: [SegmentStatistics] {
    let version = CollectionVersion(collection: CollectionIdentifier(1), schemaVersion: 0)
    return segments.sorted { $0.key < $1.key }.map { number, segment in
      let live = RecordTotals(
        recordCount: UInt64(segment.liveCount),
        byteCount: UInt64(segment.liveCount) * Self.recordByteCount)
      return SegmentStatistics(
        identifier: number, stream: segment.stream, isActive: number == active,
        byteCount: UInt64(segment.records.count) * Self.recordByteCount,
        recordCount: UInt64(segment.records.count),
        tombstoneCount: UInt64(segment.tombstoneCount),
        minimumSequence: segment.minimumSequence,
        maximumSequence: segment.maximumSequence,
        liveByVersion: segment.liveCount == 0 ? [:] : [version: live])
    }
  }
}
