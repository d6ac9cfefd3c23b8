import Foundation
import SchemaRegistry
import Testing

/// Property: the fused plan gives what the slow interpreter gives, for every version.
@Suite("Fused plans equal stepwise upgrades")
struct FusionPropertyTests {
  @Test(
    "Random histories of 1 to 25 operations, with swaps, returning names and nils (H9, H10)",
    arguments: 0..<8)
  func fusedEqualsStepwise(_ part: Int) throws {
    let seed = UInt64(0xF0_5E + part)
    var histories = RandomHistories(seed: seed)
    var compared = 0
    for round in 0..<Self.rounds {
      let history = histories.next()
      try #require(history.issues == [], "seed \(seed) round \(round)")
      for from in 0...history.latestVersion.rawValue {
        compared += try compare(
          history, SchemaVersion(from), &histories.random, "seed \(seed) round \(round)")
      }
    }
    #expect(compared > 500)
    if Self.rounds > 60 { print("seed \(seed): \(Self.rounds) chains, \(compared) records") }
  }

  /// Histories for each of the eight seeds; long runs set `LOGSTORE_CHAINS`, of all seeds together.
  private static let rounds: Int = {
    let wanted = ProcessInfo.processInfo.environment["LOGSTORE_CHAINS"].flatMap { Int($0) } ?? 0
    return max(60, wanted / 8)
  }()

  private func compare(
    _ history: SchemaHistory, _ from: SchemaVersion, _ random: inout SeededGenerator,
    _ place: String
  ) throws -> Int {
    let source = try #require(try history.shape(at: from).type(named: "Person"))
    let target = try #require(try history.shape(at: history.latestVersion).type(named: "Person"))
    let plan = try history.upgradePlan(
      for: source.identity, from: from, source: shuffled(source, &random),
      to: history.latestVersion, target: shuffled(target, &random))
    for _ in 0..<3 {
      let values = RandomSchemas.values(plan.source, &random)
      let keyValue = values[plan.source.keyIndex]
      let key = try KeyCoding.encode(keyValue, as: .int64)
      let payload = try RecordPayload.encode(values, shape: plan.source)
      let fused = try plan.upgrade(payload, key: key, committedAt: 0)
      let stepwise = try plan.upgradeStepwise(payload, key: key, committedAt: 0)
      try #require(fused == stepwise, "\(place) from \(from)")
      if let fused {
        _ = try RecordPayload.decode(fused, key: keyValue, shape: plan.target)
      }
      if plan.isIdentity { try #require(fused == payload, "\(place) from \(from)") }
    }
    return 3
  }

  /// The same type with members and embedded members in another order, as a model might have it.
  private func shuffled(_ shape: TypeShape, _ random: inout SeededGenerator) throws -> TypeShape {
    guard random.chance(2) else { return shape }
    return try TypeShape(
      name: shape.name, identity: shape.identity, keyMember: shape.keyMember,
      members: shape.members.shuffled(using: &random).map { member in
        MemberShape(
          name: member.name, type: shuffled(member.type, &random), identity: member.identity)
      })
  }

  private func shuffled(_ type: FieldType, _ random: inout SeededGenerator) -> FieldType {
    switch type {
    case .optional(let inner): .optional(shuffled(inner, &random))
    case .list(let inner): .list(shuffled(inner, &random))
    case .dictionary(let inner): .dictionary(shuffled(inner, &random))
    case .object(let members):
      .object(
        members.shuffled(using: &random).map { MemberShape($0.name, shuffled($0.type, &random)) })
    default: type
    }
  }
}
