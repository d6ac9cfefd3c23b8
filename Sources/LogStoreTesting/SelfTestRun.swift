internal import ObjectStore

/// One run of ``SchemaHistory/selfTest(samplesPerType:seed:)``.
struct SelfTestRun {
  private static let failureCountMaximum = 100

  let history: SchemaHistory
  let samplesPerType: Int
  let seed: UInt64
  private var found: [SelfTestFailure] = []
  /// The versions from which no made-up record of a type was upgraded and kept: said once.
  private var unproven: Set<RecordVersion> = []

  private struct RecordVersion: Hashable {
    let type: TypeIdentity
    let version: SchemaVersion
  }

  init(history: SchemaHistory, samplesPerType: Int, seed: UInt64) {
    self.history = history
    self.samplesPerType = samplesPerType
    self.seed = seed
  }

  mutating func failures() throws -> [SelfTestFailure] {
    noteMissingCode()
    let versions = [history.base.version] + history.versions.map(\.number)
    for (first, from) in versions.enumerated() {
      for source in try history.shape(at: from).types {
        for (last, to) in versions.enumerated().dropFirst(first) {
          guard let target = try history.shape(at: to).type(source.identity) else { continue }
          // By the first, the last and one more: all ways follow from those of shorter distances.
          let between = Set([first + 1, (first + last) / 2, last - 1])
            .filter { first < $0 && $0 < last }.sorted().map { versions[$0] }
          try test(source, from, target, to, by: between)
          if found.count >= Self.failureCountMaximum { return found }
        }
      }
    }
    return found
  }

  /// Steps without their code cannot be tried, and nothing behind them.
  private mutating func noteMissingCode() {
    let missing = Dictionary(
      grouping: history.operations.filter(\.needsApplicationCode), by: \.type)
    for (_, operations) in missing.sorted(by: { $0.key < $1.key }) {
      guard let first = operations.first, let last = operations.last else { continue }
      note(
        first.typeName, history.base.version, last.version,
        "the code of \(operations.map(\.id).joined(separator: ", ")) is not at hand; test the "
          + "history of the app, not one that was read from a file")
    }
  }

  private mutating func note(
    _ type: String, _ from: SchemaVersion, _ to: SchemaVersion, _ problem: String
  ) {
    found.append(SelfTestFailure(type: type, from: from, to: to, problem: problem, seed: seed))
  }

  /// All plans between two versions; nothing where there is none. With `keepsDropped` no condition
  /// drops a record.
  private func makePlans(
    _ source: TypeShape, _ from: SchemaVersion, _ target: TypeShape, _ to: SchemaVersion,
    by versions: [SchemaVersion], keepsDropped: Bool = false
  ) throws -> SelfTestPlans? {
    func plan(
      _ source: TypeShape, _ from: SchemaVersion, _ target: TypeShape, _ to: SchemaVersion
    ) throws -> UpgradePlan? {
      do throws(SchemaError) {
        return try history.upgradePlan(
          for: source.identity, from: from, source: source, to: to, target: target,
          checkingPurity: true, runningBarrier: nil, keepsDropped: keepsDropped)
      } catch .barrierNotRun { return nil } catch .needsApplicationCode { return nil }
    }
    guard let whole = try plan(source, from, target, to) else { return nil }
    var halves: [(UpgradePlan, UpgradePlan)] = []
    for version in versions {
      guard let middle = try history.shape(at: version).type(source.identity),
        let first = try plan(source, from, middle, version),
        let second = try plan(middle, version, target, to)
      else { continue }
      halves.append((first, second))
    }
    return SelfTestPlans(whole: whole, halves: halves)
  }

  private mutating func test(
    _ source: TypeShape, _ from: SchemaVersion, _ target: TypeShape, _ to: SchemaVersion,
    by versions: [SchemaVersion]
  ) throws {
    let cases = try cases(of: target, at: to)
    // What changes no object may still give older apps something else to read.
    guard let plans = try makePlans(source, from, target, to, by: versions),
      !(plans.whole.operationIDs.isEmpty && cases.isEmpty && source.members == target.members)
    else { return }
    let before = try self.cases(of: source, at: from)
    let way = wayBack(source, from, target, to, known: before, cases)
    var outcome = try plans.outcome(of: samplesPerType, seed: seed, cases: before, way)
    // A record that is kept and refused counts for more than others that are dropped.
    let dropsAll = outcome.dropsSome && !outcome.isProven && outcome.refusal == nil
    if dropsAll, outcome.problem == nil,
      let keeping = try makePlans(source, from, target, to, by: versions, keepsDropped: true)
    {
      // The other steps are proven all the same. Ways back are not: they are for what is kept.
      outcome = try keeping.outcome(of: samplesPerType, seed: seed, cases: before, nil)
    }
    if let problem = outcome.problem {
      note(source.name, from, to, problem)
    } else if !outcome.isProven {
      note(outcome.refusal, dropsAll: dropsAll, of: source, from, to)
    }
  }

  /// Notes that all records failed, or were dropped, so that nothing is proven.
  private mutating func note(
    _ refusal: SchemaError?, dropsAll: Bool, of type: TypeShape, _ from: SchemaVersion,
    _ to: SchemaVersion
  ) {
    guard unproven.insert(RecordVersion(type: type.identity, version: from)).inserted else {
      return
    }
    let records = "none of \(samplesPerType) made-up records "
    let what =
      dropsAll
      ? "is kept\(refusal == nil ? "" : ", nor could be upgraded if it were"), which proves "
        + "nothing; declare the cases of the members that decide, or try records that are kept"
      : "could be upgraded, which proves nothing; try records that can"
    let why = refusal.map { " \($0)" } ?? ""
    note(type.name, from, to, records + what + ", with MigrationFixture.\(why)")
  }

  /// The cases that the history declares for members of a type, by their names.
  private func cases(
    of type: TypeShape, at version: SchemaVersion
  ) throws -> [String: [Value]] {
    var cases: [String: [Value]] = [:]
    for found in try history.cases(at: version) where found.type == type.name {
      cases[found.member] = found.cases
    }
    return cases
  }

  /// How an app of version `from` reads what the newest version wrote, where it may.
  private func wayBack(
    _ source: TypeShape, _ from: SchemaVersion, _ target: TypeShape, _ to: SchemaVersion,
    known: [String: [Value]], _ cases: [String: [Value]]
  ) -> SelfTestWayBack? {
    let grade = history.forwardGrade(of: source.identity, since: from)
    guard to == history.latestVersion, grade != .refused else { return nil }
    // What reads all that the newest version writes reads all its cases, and nil.
    let readsAll = history.operations.allSatisfy { operation in
      operation.version <= from || operation.type != source.identity
        || (operation.forward.incompatibility?.code ?? .readOnlyInverse) == .readOnlyInverse
    }
    return SelfTestWayBack(
      grade: grade, known: source, version: to, knownCases: known, cases: cases,
      readsAll: readsAll,
      keepsAll: !history.versions.contains {
        $0.number > from && $0.changes.contains(where: \.removes)
      },
      projection: Result { () throws(SchemaError) in
        try Projection(
          known: source, stored: target, version: to,
          inverses: history.inverses(of: source.identity, after: from, through: to))
      })
  }
}

extension SchemaChange {
  /// Whether it removes members, of records or inside of embedded objects.
  fileprivate var removes: Bool {
    if case .records(_, let operations) = self {
      operations.contains(where: \.removes)
    } else {
      true
    }
  }
}

extension RecordOperation {
  fileprivate var removes: Bool {
    switch self {
    case .remove: true
    case .embedded(_, _, let operations): operations.contains(where: \.removes)
    default: false
    }
  }
}
