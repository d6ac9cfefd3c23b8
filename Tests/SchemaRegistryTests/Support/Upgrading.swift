import SchemaRegistry
import Testing

/// Upgrades one record of a history's own shapes, by both ways, and compares them.
struct Upgrading {
  let history: SchemaHistory
  var typeName = "Person"
  var checksPurity = false

  func plan(from: SchemaVersion, to: SchemaVersion? = nil) throws -> UpgradePlan {
    let to = to ?? history.latestVersion
    let source = try #require(try history.shape(at: from).type(named: typeName))
    let target = try #require(try history.shape(at: to).type(source.identity))
    return try history.upgradePlan(
      for: source.identity, from: from, source: source, to: to, target: target,
      checkingPurity: checksPurity)
  }

  /// The record after the upgrade by member names, nil when it was dropped.
  func run(
    _ record: [String: Value], from: SchemaVersion, to: SchemaVersion? = nil
  ) throws -> [String: Value]? {
    let plan = try plan(from: from, to: to)
    let values = plan.source.members.map { record[$0.name] ?? .null }
    let keyValue = values[plan.source.keyIndex]
    let key = try KeyCoding.encode(keyValue, as: plan.source.keyType)
    let payload = try RecordPayload.encode(values, shape: plan.source)
    let fused = try plan.upgrade(payload, key: key, committedAt: 1000)
    let stepwise = try plan.upgradeStepwise(payload, key: key, committedAt: 1000)
    #expect(fused == stepwise)
    if plan.isIdentity { #expect(fused == payload) }
    guard let fused else { return nil }
    let result = try RecordPayload.decode(fused, key: keyValue, shape: plan.target)
    return Dictionary(
      zip(plan.target.members.map(\.name), result), uniquingKeysWith: { first, _ in first })
  }
}
