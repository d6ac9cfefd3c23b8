internal import BinaryCoding
internal import SchemaRegistry
internal import StorageTestSupport

/// Random histories whose fused plans must give what one version after the other gives.
///
/// A seed is as many histories as wanted, each tried from every version with three records.
package struct ChainCheck {
  private let seed: UInt64
  private var histories: RandomHistories
  /// Histories that were tried.
  package private(set) var chainCount = 0
  /// Records that were upgraded both ways.
  package private(set) var recordCount = 0
  /// Bytes of them that were noted as copied.
  package private(set) var copiedByteCount = 0

  package init(seed: UInt64) {
    self.seed = seed
    histories = RandomHistories(seed: seed)
  }

  /// Tries `count` more histories; throws what was not as it must be.
  package mutating func run(_ count: Int) throws {
    for _ in 0..<count {
      let history = histories.next()
      chainCount += 1
      guard history.issues.isEmpty else { throw failure("issues: \(history.issues)") }
      for from in 0...history.latestVersion.rawValue {
        try compare(history, SchemaVersion(from))
      }
    }
  }

  private func failure(_ reason: String) -> CaseFailure {
    CaseFailure("seed \(seed), history \(chainCount): \(reason)")
  }

  private mutating func compare(_ history: SchemaHistory, _ from: SchemaVersion) throws {
    guard let source = try history.shape(at: from).type(named: "Person"),
      let target = try history.shape(at: history.latestVersion).type(named: "Person")
    else { throw failure("version \(from) lacks the type") }
    let plan = try history.upgradePlan(
      for: source.identity, from: from, source: shuffled(source),
      to: history.latestVersion, target: shuffled(target))
    let (before, after) = (try cases(history, from), try cases(history, history.latestVersion))
    for _ in 0..<3 {
      recordCount += 1
      var values = RandomSchemas.values(plan.source, &histories.random)
      for (index, member) in plan.source.members.enumerated() {
        if let cases = before[member.name] { values[index] = drawn(from: cases, as: member.type) }
      }
      let keyValue = values[plan.source.keyIndex]
      let key = try KeyCoding.encode(keyValue, as: .int64)
      let payload = try RecordPayload.encode(values, shape: plan.source)
      let fused = try plan.upgrade(payload, key: key, committedAt: 0)
      let stepwise = try plan.upgradeStepwise(payload, key: key, committedAt: 0)
      guard fused == stepwise else { throw failure("from version \(from) the two differ") }
      try checkCopies(plan, payload, key, fused)
      if let fused {
        let values = try RecordPayload.decode(fused, key: keyValue, shape: plan.target)
        for (member, value) in zip(plan.target.members, values) {
          guard let cases = after[member.name], !Self.isCase(value, cases) else { continue }
          throw failure("from version \(from) \(member.name) gets a value that is no case")
        }
      }
      if plan.isIdentity, fused != payload {
        throw failure("from version \(from) the plan is no identity")
      }
    }
  }

  /// What the plan notes as copied is what the old payload has there, wherever it is appended.
  private mutating func checkCopies(
    _ plan: UpgradePlan, _ payload: [UInt8], _ key: [UInt8], _ upgraded: [UInt8]?
  ) throws {
    guard let upgraded else { return }
    var writer = ByteWriter()
    writer.writeBytes([1, 2, 3])
    var copied = CopiedRanges()
    try payload.withBytes { (old: UnsafeRawBufferPointer) in
      try key.withBytes { (key: UnsafeRawBufferPointer) in
        _ = try plan.upgrade(
          old, key: key, committedAt: 0, timing: nil, noting: &copied, to: &writer)
      }
    }
    guard writer.array() == [1, 2, 3] + upgraded else {
      throw failure("from version \(plan.fromVersion) noting copies changes the payload")
    }
    for range in copied.ranges {
      copiedByteCount += range.count
      let source = payload.dropFirst(range.source).prefix(range.count)
      guard upgraded.dropFirst(range.start).prefix(range.count).elementsEqual(source) else {
        throw failure("from version \(plan.fromVersion) \(range) was not copied")
      }
    }
  }

  /// The cases that the history declares for members of a version, by their names.
  private func cases(
    _ history: SchemaHistory, _ version: SchemaVersion
  ) throws -> [String: [Value]] {
    var cases: [String: [Value]] = [:]
    for found in try history.cases(at: version) { cases[found.member] = found.cases }
    return cases
  }

  private mutating func drawn(from cases: [Value], as type: FieldType) -> Value {
    switch type {
    case .optional(let inner):
      return histories.random.chance(3) ? .null : drawn(from: cases, as: inner)
    case .list(let inner): return .list([drawn(from: cases, as: inner)])
    default: return cases.randomElement(using: &histories.random) ?? .null
    }
  }

  private static func isCase(_ value: Value, _ cases: [Value]) -> Bool {
    switch value {
    case .null: true
    case .list(let elements): elements.allSatisfy { isCase($0, cases) }
    default: cases.contains(value)
    }
  }

  /// The same type with members and embedded members in another order, as a model might have it.
  private mutating func shuffled(_ shape: TypeShape) throws -> TypeShape {
    guard histories.random.chance(2) else { return shape }
    return try TypeShape(
      name: shape.name, identity: shape.identity, keyMember: shape.keyMember,
      members: shape.members.shuffled(using: &histories.random).map { member in
        MemberShape(name: member.name, type: shuffled(member.type), identity: member.identity)
      })
  }

  private mutating func shuffled(_ type: FieldType) -> FieldType {
    switch type {
    case .optional(let inner): .optional(shuffled(inner))
    case .list(let inner): .list(shuffled(inner))
    case .dictionary(let inner): .dictionary(shuffled(inner))
    case .object(let members):
      .object(
        members.shuffled(using: &histories.random).map { MemberShape($0.name, shuffled($0.type)) })
    default: type
    }
  }
}
