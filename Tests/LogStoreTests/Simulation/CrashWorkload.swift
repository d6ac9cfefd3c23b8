import FileIO
import StorageTestSupport

@testable import LogStore

/// A seeded run of commits, seals, compactions and reopenings, with what each commit promised.
struct CrashWorkload {
  /// A commit as the oracle remembers it.
  struct Commit {
    /// Operations of the file system before the commit began.
    let firstOperation: Int
    /// Operations after it was acknowledged; nothing when it threw.
    var acknowledgedAt: Int?
    /// Operations after which it was promised to survive a power loss.
    var durableAt: Int?
    /// The sequence before its first record.
    let base: UInt64
    /// The sequence of its last record.
    let lastSequence: UInt64
    /// What the store holds after it.
    let contents: [[UInt8]: [UInt8]]

    /// Those that a store may be at that ends with `sequence` and holds what was promised through
    /// `floor`: what failed may be there only where it stands behind all of that.
    static func possible(
      at sequence: UInt64, floor: UInt64, commits: [Commit], failed: [Commit]
    ) -> [Commit] {
      (commits + failed.filter { $0.base >= floor }).filter { $0.lastSequence == sequence }
    }
  }

  static let configuration: LogConfiguration = {
    var configuration = LogConfiguration()
    configuration.segmentByteCountMinimum = 2 << 10
    configuration.segmentByteCountMaximum = 2 << 10
    configuration.timeSource = ManualTimeSource()
    configuration.maintenance = .inline
    return configuration
  }()

  private var generator: SeededGenerator
  private(set) var commits: [Commit] = []
  /// What threw: it may be there, until another commit takes its place.
  private(set) var failedCommits: [Commit] = []
  private var contents: [[UInt8]: [UInt8]] = [:]
  private let fileSystem: SimulatedFileSystem
  private let seed: UInt64
  private var lastSequence: UInt64 = 0
  /// Whether errors are injected: then a step that throws is passed over.
  private let toleratesErrors: Bool

  init(seed: UInt64, on fileSystem: SimulatedFileSystem, toleratesErrors: Bool = false) {
    self.seed = seed
    self.fileSystem = fileSystem
    self.toleratesErrors = toleratesErrors
    generator = SeededGenerator(seed: seed)
  }

  static func open(_ fileSystem: any FileSystem, seed: UInt64) throws(LogError) -> Log {
    var configuration = configuration
    configuration.randomSource = SeededRandomSource(seed: seed)
    configuration.readMode = seed % 2 == 0 ? .mapped : .buffered
    if seed % 4 > 1 { configuration.rangeKeyCountMinimum = 2 }
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  mutating func run(stepCount: Int) throws {
    var log = try Self.open(fileSystem, seed: seed)
    for _ in 0..<stepCount {
      do {
        switch Int.random(in: 0..<20, using: &generator) {
        case 0: try log.sealActiveSegment()
        case 1, 2: try compact(log)
        case 5: try log.mergeIndexes()
        case 3:
          try log.synchronize()
          markDurable(through: commits.count)
        case 4:
          try log.close()
          markDurable(through: commits.count)
          log = try Self.open(fileSystem, seed: seed)
          adopt(log.snapshot().lastSequence.rawValue)
        default: try commit(to: log)
        }
      } catch {
        guard toleratesErrors else { throw error }
        if case .poisoned = error { return }
        if case .closed = error { return }
      }
    }
    try? log.close()
  }

  private mutating func commit(to log: Log) throws(LogError) {
    let batch = log.makeBatch()
    var next = contents
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      let key = TestLog.key(Int.random(in: 0..<14, using: &generator))
      if Int.random(in: 0..<4, using: &generator) == 0 {
        try batch.delete(key, in: TestLog.people)
        next[key] = nil
      } else {
        let size = Int.random(in: 0..<300, using: &generator)
        let payload = (0..<size).map { _ in UInt8.random(in: 0..<4, using: &generator) }
        let version = UInt64.random(in: 0..<3, using: &generator)
        try batch.put(key, in: TestLog.people, schemaVersion: version, payload: payload)
        next[key] = payload
      }
    }
    let durability: Durability =
      Int.random(in: 0..<3, using: &generator) == 0 ? .process : .full
    let first = fileSystem.operationCount
    let sequence = lastSequence + UInt64(batch.count)
    commits.append(
      Commit(
        firstOperation: first, acknowledgedAt: nil, durableAt: nil, base: lastSequence,
        lastSequence: sequence, contents: next))
    do throws(LogError) {
      try log.commit(batch, durability: durability)
    } catch {
      // It may be on the disk; nothing later uses its sequences unless it was given up.
      if !toleratesErrors { throw error }
      failedCommits.append(commits.removeLast())
      throw error
    }
    contents = next
    lastSequence = sequence
    commits[commits.count - 1].acknowledgedAt = fileSystem.operationCount
    if durability == .full { markDurable(through: commits.count) }
  }

  /// A commit that threw is there all the same where an opening finds it.
  private mutating func adopt(_ found: UInt64) {
    guard found > lastSequence,
      var commit = failedCommits.last(where: {
        $0.base == lastSequence && $0.lastSequence == found
      })
    else { return }
    commit.acknowledgedAt = fileSystem.operationCount
    commits.append(commit)
    contents = commit.contents
    lastSequence = found
  }

  /// A durable commit makes all before it durable, because what survives is a prefix.
  private mutating func markDurable(through count: Int) {
    for index in 0..<count where commits[index].durableAt == nil {
      commits[index].durableAt = fileSystem.operationCount
    }
  }

  private mutating func compact(_ log: Log) throws(LogError) {
    let sealed = try log.statistics().segments.filter { !$0.isActive }
    let chosen = sealed.filter { _ in Bool.random(using: &generator) }
    guard !chosen.isEmpty else { return }
    let rewrite = try log.beginRewrite(of: Set(chosen.map(\.identifier)))
    while let record = try rewrite.next() { try rewrite.keep(record) }
    try rewrite.publish()
  }
}
