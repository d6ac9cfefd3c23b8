import Benchmark
import ObjectStore

/// Fused upgrades of payloads, without a store.
enum PlanBenchmarks {
  static func define() {
    define("upgrade plan that computes a member, four versions", from: 0)
    define("upgrade plan that copies, three versions", from: 1)
  }

  private static func define(_ name: String, from version: UInt64) {
    Operation.measure(name) {
      try SamplePlan(from: SchemaVersion(rawValue: version))
    } _: { (sample: SamplePlan, count: Int) in
      for number in 0..<count {
        blackHole(
          try sample.plan.upgrade(sample.payloads[number], key: sample.key, committedAt: 0))
      }
    }
  }
}

/// The plan of accounts from a version to the latest, with payloads of that version.
private struct SamplePlan: Sendable {
  let plan: UpgradePlan
  let payloads: [[UInt8]]
  let key: [UInt8]

  init(from version: SchemaVersion) throws {
    let history = Account.history
    let latest = history.latestVersion
    guard let source = try history.shape(at: version).type(named: "Account"),
      let target = try history.shape(at: latest).type(named: "Account")
    else { preconditionFailure("every version of the history has accounts") }
    plan = try history.upgradePlan(
      for: source.identity, from: version, source: source, to: latest, target: target)
    key = try KeyCoding.encode(.int(7), as: source.keyType)
    payloads = try (0..<1000).map { number in
      let values = source.members.map { member -> Value in
        switch member.type {
        case .string: .string("\(member.name) of \(number)")
        default: .int(Int64(number))
        }
      }
      return try RecordPayload.encode(values, shape: source)
    }
  }
}
