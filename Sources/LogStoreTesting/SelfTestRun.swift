internal import ObjectStore

/// One run of ``SchemaHistory/selfTest(samplesPerType:seed:)``.
struct SelfTestRun {
  private static let failureCountMaximum = 100

  let history: SchemaHistory
  let samplesPerType: Int
  let seed: UInt64
  private var found: [SelfTestFailure] = []

  init(history: SchemaHistory, samplesPerType: Int, seed: UInt64) {
    self.history = history
    self.samplesPerType = samplesPerType
    self.seed = seed
  }

  mutating func failures() throws -> [SelfTestFailure] {
    let versions = [history.base.version] + history.versions.map(\.number)
    for (position, from) in versions.enumerated() {
      for source in try history.shape(at: from).types {
        for to in versions[position...] {
          guard let target = try history.shape(at: to).type(source.identity) else { continue }
          try test(source, from, target, to, by: versions[position...].filter { $0 < to })
          if found.count >= Self.failureCountMaximum { return found }
        }
      }
    }
    return found
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
    for version in versions where version > from {
      guard let middle = try history.shape(at: version).type(source.identity),
        let first = try plan(source, from, middle, version),
        let second = try plan(middle, version, target, to)
      else { continue }
      halves.append((first, second))
    }
    var random = SelfTestRandom(seed: seed)
    let before = try self.cases(of: source, at: from)
    let way = wayBack(source, from, target, to, known: before, cases)
    for _ in 0..<samplesPerType {
      let record = try random.record(of: source, cases: before)
      if let problem = Self.problem(record, whole, halves)
        ?? way?.problem(record, whole, &random)
      {
        found.append(
          SelfTestFailure(type: source.name, from: from, to: to, problem: problem, seed: seed))
        return
      }
    }
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
    _ record: (key: [UInt8], payload: [UInt8]), _ whole: UpgradePlan,
    _ halves: [(UpgradePlan, UpgradePlan)]
  ) -> String? {
    let fused = outcome(whole, record)
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
