internal import ObjectStore

/// The plans by which records of one version get to another.
struct SelfTestPlans {
  /// What became of made-up records.
  struct Outcome {
    /// Whether one was upgraded, and not dropped.
    var isProven = false
    /// Whether one was dropped.
    var dropsSome = false
    /// Why one could not be upgraded.
    var refusal: SchemaError?
    /// What is wrong; nothing was tried behind it.
    var problem: String?
  }

  /// From the first version to the last.
  let whole: UpgradePlan
  /// To versions between, and from there.
  let halves: [(UpgradePlan, UpgradePlan)]

  /// Tries all plans with `count` records, and what older apps read of them where there is a way.
  func outcome(
    of count: Int, seed: UInt64, cases: [String: [Value]], _ way: SelfTestWayBack?
  ) throws(SchemaError) -> Outcome {
    var random = SelfTestRandom(seed: seed)
    var outcome = Outcome()
    for _ in 0..<count {
      let record = try random.record(of: whole.source, cases: cases)
      let fused = Self.upgraded(record, by: whole)
      switch fused {
      case .failure(let error): outcome.refusal = error
      case .success(.none): outcome.dropsSome = true
      case .success(.some): outcome.isProven = true
      }
      outcome.problem = problem(record, fused) ?? way?.problem(record, whole, &random)
      if outcome.problem != nil { break }
    }
    return outcome
  }

  private func problem(
    _ record: (key: [UInt8], payload: [UInt8]), _ fused: Result<[UInt8]?, SchemaError>
  ) -> String? {
    let stepwise = Result { () throws(SchemaError) in
      try whole.upgradeStepwise(record.payload, key: record.key, committedAt: 0)
    }
    // Steps whose results nobody needs run one version after the other only.
    for case .failure(let error) in [fused, stepwise] where "\(error)".contains("is not pure") {
      return "\(error)"
    }
    guard case .success = stepwise else { return nil }
    if stepwise != fused {
      return "fused to one pass, the operations give another record than one after the other"
    }
    for (first, second) in halves {
      guard case .success(let payload) = Self.upgraded(record, by: first) else { continue }
      let result =
        payload.map { Self.upgraded((record.key, $0), by: second) } ?? .success(nil)
      if result != fused { return "going by version \(first.toVersion) gives another record" }
    }
    return nil
  }

  private static func upgraded(
    _ record: (key: [UInt8], payload: [UInt8]), by plan: UpgradePlan
  ) -> Result<[UInt8]?, SchemaError> {
    Result { () throws(SchemaError) in
      try plan.upgrade(record.payload, key: record.key, committedAt: 0)
    }
  }
}
