internal import ObjectStore

/// One run of ``SchemaHistory/selfTest(samplesPerType:seed:)``.
struct SelfTestRun {
  private static let failureCountMaximum = 100

  let history: SchemaHistory
  let samplesPerType: Int
  let seed: UInt64
  private var found: [SelfTestFailure] = []
  /// The versions from which no made-up record of a type could be upgraded: said once.
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

  private func plan(
    _ source: TypeShape, _ from: SchemaVersion, _ target: TypeShape, _ to: SchemaVersion
  ) throws -> UpgradePlan? {
    do throws(SchemaError) {
      return try history.upgradePlan(
        for: source.identity, from: from, source: source, to: to, target: target,
        checkingPurity: true)
    } catch .barrierNotRun { return nil } catch .needsApplicationCode { return nil }
  }

  private mutating func test(
    _ source: TypeShape, _ from: SchemaVersion, _ target: TypeShape, _ to: SchemaVersion,
    by versions: [SchemaVersion]
  ) throws {
    let cases = try cases(of: target, at: to)
    // What changes no object may still give older apps something else to read.
    guard let whole = try plan(source, from, target, to),
      !(whole.operationIDs.isEmpty && cases.isEmpty && source.members == target.members)
    else { return }
    var halves: [(UpgradePlan, UpgradePlan)] = []
    for version in versions {
      guard let middle = try history.shape(at: version).type(source.identity),
        let first = try plan(source, from, middle, version),
        let second = try plan(middle, version, target, to)
      else { continue }
      halves.append((first, second))
    }
    var random = SelfTestRandom(seed: seed)
    let before = try self.cases(of: source, at: from)
    let way = wayBack(source, from, target, to, known: before, cases)
    var refusal: SchemaError?
    var isProven = false
    for _ in 0..<samplesPerType {
      let record = try random.record(of: source, cases: before)
      let fused = Self.outcome(whole, record)
      if case .failure(let error) = fused { refusal = error } else { isProven = true }
      if let problem = Self.problem(record, fused, whole, halves)
        ?? way?.problem(record, whole, &random)
      {
        note(source.name, from, to, problem)
        return
      }
    }
    if let refusal, !isProven { note(refusal, of: source, from, to) }
  }

  /// Notes that all records failed, so that nothing is proven.
  private mutating func note(
    _ refusal: SchemaError, of type: TypeShape, _ from: SchemaVersion, _ to: SchemaVersion
  ) {
    guard unproven.insert(RecordVersion(type: type.identity, version: from)).inserted else {
      return
    }
    note(
      type.name, from, to,
      "none of \(samplesPerType) made-up records could be upgraded, which proves nothing; try "
        + "records that can, with MigrationFixture. \(refusal)")
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

  private static func problem(
    _ record: (key: [UInt8], payload: [UInt8]), _ fused: Result<[UInt8]?, SchemaError>,
    _ whole: UpgradePlan, _ halves: [(UpgradePlan, UpgradePlan)]
  ) -> String? {
    if case .failure(let error) = fused, "\(error)".contains("is not pure") { return "\(error)" }
    let stepwise = Result { () throws(SchemaError) in
      try whole.upgradeStepwise(record.payload, key: record.key, committedAt: 0)
    }
    // A step whose result is not needed runs one version after the other only.
    if case .success = stepwise, stepwise != fused {
      return "fused to one pass, the operations give another record than one after the other"
    }
    for (first, second) in halves {
      guard case .success(let payload) = outcome(first, record) else { continue }
      let result = payload.map { outcome(second, (record.key, $0)) } ?? .success(nil)
      guard case .success = stepwise, result != fused else { continue }
      return "going by version \(first.toVersion) gives another record"
    }
    return nil
  }

  private static func outcome(
    _ plan: UpgradePlan, _ record: (key: [UInt8], payload: [UInt8])
  ) -> Result<[UInt8]?, SchemaError> {
    Result { () throws(SchemaError) in
      try plan.upgrade(record.payload, key: record.key, committedAt: 0)
    }
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
