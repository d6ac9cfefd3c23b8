/// What LogStore is meant to reach in a workload.
struct Target {
  /// What it is compared with.
  enum Reference {
    case best
    case engine(EngineKind)
    /// A value of its own, in the workload's unit.
    case value(Double)
    /// Its own result in another workload.
    case own(String)
  }

  /// A target beside what was measured, as texts.
  struct Verdict {
    let subject: String
    let target: String
    let reached: String
    let isReached: Bool
    /// The ratio to the best peer, and its name.
    var best = ""
  }

  let reference: Reference
  /// The ratio to reach, above 1 meaning better; for a value the bound itself is in the reference.
  let ratio: Double
  /// The variant of LogStore that it is meant for, where it is for one.
  var variant: EngineKind?

  static func best(_ ratio: Double) -> Target { Target(reference: .best, ratio: ratio) }

  static func peer(_ engine: EngineKind, _ ratio: Double) -> Target {
    Target(reference: .engine(engine), ratio: ratio)
  }

  static func value(_ bound: Double) -> Target { Target(reference: .value(bound), ratio: 1) }

  func of(_ variant: EngineKind) -> Target {
    Target(reference: reference, ratio: ratio, variant: variant)
  }

  /// The targets of each workload, as Documentation/Performance.md lists them. Some are set beside
  /// a peer that is not the best one; the table says how far away that is.
  static let all: [String: [Target]] = [
    "fillsync": [.best(1.2)],
    "fillsync8": [.best(1.3)],
    "fillseq": [.best(1.0)],
    "fillrandom": [.best(1.6), .peer(.rocksDB, 3), .peer(.sqlite, 10)],
    "fillbatch.sync": [.peer(.levelDB, 1.3).of(.logStoreLZ4), .peer(.lmdb, 1.0).of(.logStoreRaw)],
    "overwrite2x": [.best(1.5), .best(1.5).of(.logStoreStore)],
    "space.running": [.value(0.9).of(.logStoreStore)],
    "space.compacted": [.value(0.6)],
    "readrandom": [.peer(.lmdb, 1.3), .peer(.rocksDB, 4), .peer(.sqlite, 4)],
    "readrandom2": [.peer(.lmdb, 1.3), Target(reference: .own("readrandom"), ratio: 1.8)],
    "readmissing": [.peer(.rocksDB, 2)],
    "scanall": [.peer(.rocksDB, 1.5)],
    "scanall.aged": [.peer(.rocksDB, 1.5)],
    "scanall.compacted": [.peer(.sqlite, 1.2)],
    "scan100": [.peer(.sqlite, 1.5)],
    "ycsb-a": [.best(2)],
    "ycsb-b": [.best(1.2)],
    "objects.fillbatch.sync": [.peer(.grdb, 3)],
    "objects.readrandom": [.peer(.grdb, 3)],
    "objects.scanall": [.peer(.grdb, 3)],
    "migration1.first": [.best(500)],
    "migration1.all": [.peer(.sqliteColumns, 2), .peer(.lmdb, 2.0 / 3)],
    "migration1.disk": [.value(1.3)],
    "open": [.value(1)],
    "memory.reading": [.value(48)],
  ]

  /// Whether it is reached; nothing when there is nothing to compare with.
  func verdict(_ workload: String, in results: Results) -> Verdict? {
    var verdict = reached(workload, in: results)
    if let best = results.bestPeer(workload),
      let ratio = results.ratio(workload, of: variant, to: best)
    {
      verdict?.best = "\(Figure.short(ratio))× \(best.rawValue)"
    }
    return verdict
  }

  private func reached(_ workload: String, in results: Results) -> Verdict? {
    let own = variant.map { results[workload, $0] } ?? results.own(workload)
    guard let own else { return nil }
    let reached: Double?
    var name = ""
    var peer: String?
    switch reference {
    case .best:
      let best = results.bestPeer(workload)
      reached = best.flatMap { results.ratio(workload, of: variant, to: $0) }
      name = "best"
      peer = best?.rawValue
    case .engine(let engine):
      reached = results.ratio(workload, of: variant, to: engine)
      name = engine.rawValue
    case .value(let bound):
      let isReached = own.unit.isHigherBetter ? own.median >= bound : own.median <= bound
      let sign = own.unit.isHigherBetter ? "≥" : "≤"
      return Verdict(
        subject: own.engine.rawValue, target: "\(sign) \(Figure.short(bound)) \(own.unit.rawValue)",
        reached: Figure.short(own.median), isReached: isReached)
    case .own(let other):
      reached = results.own(other).map { own.median / $0.median }
      name = "own \(other)"
    }
    guard let reached else { return nil }
    return Verdict(
      subject: own.engine.rawValue, target: "\(Figure.short(ratio))× \(name)",
      reached: "\(Figure.short(reached))×" + (peer.map { " \($0)" } ?? ""),
      isReached: reached >= ratio)
  }
}
