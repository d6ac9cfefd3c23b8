import Foundation
import LogStore
import StorageTestSupport

/// What a store holds after a loss of power, against what its writers promised before.
struct StoreCheck {
  private struct Known {
    let writer: Int
    let number: Int
    let sequence: UInt64
  }

  /// Commits known to be durable, of each writer.
  private var floor = [Int](repeating: 0, count: PlannedCommit.writerCount)
  /// Every acknowledged commit since the last check.
  private var known: [Known] = []
  private(set) var durableCount = 0
  private(set) var visibleCount = 0
  private(set) var beyondCount = 0
  private(set) var progress: [Int] = []
  private(set) var tail = "none"

  /// What was acknowledged as durable when power was going already: it may be there or not, because
  /// the file system's synchronization may succeed while it is shut down. No power cut tells so.
  private var late: [Known] = []
  var lateCount: Int { late.count }
  var lateLostCount: Int { late.count { $0.number > progress[$0.writer] } }

  init(_ beforeCut: [Acknowledgement], afterCut: [Acknowledgement]) {
    for acknowledgement in beforeCut { note(acknowledgement) }
    for acknowledgement in afterCut {
      switch acknowledgement {
      case .durable(let writer, let number, let sequence):
        late.append(Known(writer: writer, number: number, sequence: sequence))
        note(.visible(writer: writer, number: number, sequence: sequence))
      case .visible: note(acknowledgement)
      case .allDurable, .recovered: break
      }
    }
  }

  private mutating func note(_ acknowledgement: Acknowledgement) {
    switch acknowledgement {
    case .durable(let writer, let number, let sequence):
      known.append(Known(writer: writer, number: number, sequence: sequence))
      floor[writer] = max(floor[writer], number)
      durableCount += 1
    case .visible(let writer, let number, let sequence):
      known.append(Known(writer: writer, number: number, sequence: sequence))
      visibleCount += 1
    case .allDurable:
      for commit in known { floor[commit.writer] = max(floor[commit.writer], commit.number) }
    case .recovered(let progress):
      floor = progress
      known = []
      durableCount = 0
      visibleCount = 0
    }
  }

  /// Throws, and says what is wrong, unless the store at `path` keeps every promise.
  mutating func run(path: String, seed: UInt64) throws {
    let contents = try read(path)
    progress = try contents.progress()
    for (writer, count) in progress.enumerated() {
      guard count >= floor[writer] else {
        throw CaseFailure(
          "LOST: commit \(floor[writer]) of writer \(writer) was durable, found \(count) of it")
      }
      let acknowledged = known.filter { $0.writer == writer }.map(\.number).max() ?? 0
      guard count <= max(floor[writer], acknowledged) + 1 else {
        throw CaseFailure(
          "found \(count) commits of writer \(writer), which had begun \(acknowledged + 1) at most")
      }
      beyondCount += max(0, count - floor[writer])
    }
    try checkPrefix(contents)
    try contents.check(seed: seed)
  }

  /// Throws unless everything acknowledged before the last commit that is there is there too.
  private func checkPrefix(_ contents: StoreContents) throws {
    let last = progress.indices.compactMap { contents.lastSequence(of: $0) }.max() ?? 0
    for commit in known where commit.number > progress[commit.writer] && commit.sequence < last {
      throw CaseFailure(
        "HOLE: commit \(commit.number) of writer \(commit.writer) is missing, "
          + "its sequence \(commit.sequence) lies before \(last), which is there")
    }
    for commit in known where commit.number == progress[commit.writer] {
      guard contents.lastSequence(of: commit.writer) == commit.sequence else {
        throw CaseFailure("commit \(commit.number) of writer \(commit.writer) changed its sequence")
      }
    }
  }

  /// Verifies the store and reads it; a store that was not finished holds nothing.
  private mutating func read(_ path: String) throws -> StoreContents {
    var configuration = LogConfiguration()
    configuration.access = .readOnly
    configuration.readMode = .buffered
    guard try isFinished(path) else { return StoreContents() }
    let report = try LogVerifier.verify(path)
    guard report.isIntact, report.overcounted.isEmpty else {
      throw CaseFailure("verify: \(report)")
    }
    let log = try Log.open(at: path, configuration: configuration)
    switch log.recoveryReport.tail {
    case .clean: tail = "clean"
    case .open: tail = "open"
    case .torn: tail = "torn"
    }
    return try StoreContents(log)
  }

  /// Whether the store was created whole: power may go before its first manifest is in place.
  private func isFinished(_ path: String) throws -> Bool {
    guard FileManager.default.fileExists(atPath: path) else { return false }
    return try FileManager.default.contentsOfDirectory(atPath: path)
      .contains { $0 != "MANIFEST.new" }
  }
}
