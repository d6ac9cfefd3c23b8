import HistoryTestSupport
import SchemaRegistry
import Testing

/// Property: one member of an old record, computed alone, is what an upgrade gives it.
@Suite("One member through a plan equals upgrading all (H7)")
struct MemberEvaluationTests {
  @Test("H7: over random chains, values, drops and failures are the same", arguments: 0..<4)
  func evaluation(_ part: Int) throws {
    let seed = UInt64(0x4E_07 + part)
    var histories = RandomHistories(seed: seed)
    var failures: [String] = []
    var (evaluated, failed) = (0, 0)
    for round in 0..<150 {
      let history = histories.next()
      for from in 0..<history.latestVersion.rawValue {
        let source = try #require(try history.shape(at: SchemaVersion(from)).type(named: "Person"))
        let target = try #require(
          try history.shape(at: history.latestVersion).type(named: "Person"))
        let plan = try history.upgradePlan(
          for: source.identity, from: SchemaVersion(from), source: source,
          to: history.latestVersion, target: target)
        for _ in 0..<3 {
          let values = RandomSchemas.values(plan.source, &histories.random)
          let keyValue = values[plan.source.keyIndex]
          let key = try KeyCoding.encode(keyValue, as: .int64)
          let payload = try RecordPayload.encode(values, shape: plan.source)
          // Values that are no cases make mappings of all cases fail.
          let upgraded = Result { try plan.upgrade(payload, key: key, committedAt: 0) }
          let expected = try? upgraded.get().map {
            try RecordPayload.decode($0, key: keyValue, shape: plan.target)
          }
          let fails = if case .failure = upgraded { true } else { false }
          if fails { failed += 1 }
          for member in plan.target.members.indices where plan.evaluates(member) {
            evaluated += 1
            let value = Result {
              try plan.value(ofMember: member, in: payload, key: key, committedAt: 0)
            }
            if fails ? (try? value.get()) != nil : try value.get() != expected?[member] {
              failures.append("seed \(seed) round \(round) from \(from) member \(member)")
            }
          }
        }
      }
    }
    #expect(failures == [])
    #expect(evaluated > 500)
    print("seed \(seed): \(evaluated) members, \(failed) objects that fail")
  }

  /// For each member of a person whether a plan from version 0 computes it alone.
  private static func evaluates(
    _ history: SchemaHistory, to version: SchemaVersion
  ) throws -> [Bool] {
    let source = try #require(try history.shape(at: 0).type(named: "Person"))
    let target = try #require(try history.shape(at: version).type(named: "Person"))
    let plan = try history.upgradePlan(
      for: source.identity, from: 0, source: source, to: version, target: target)
    return plan.target.members.indices.map(plan.evaluates)
  }

  @Test("H7: a member is not computed alone when another one may fail, or code sees the record")
  func fallible() throws {
    struct Refused: Error {}
    let history = SchemaHistory {
      Base(0) {
        Type("Person", key: "id") {
          Field("id", .int64)
          Field("age", .int64)
          Field("name", .string)
        }
      }
      Version(1) { On("Person") { Rename("age", to: "years") } }
      Version(2) {
        On("Person") {
          Convert("name", to: .string) { (_: String) throws -> String in throw Refused() }
        }
      }
      Version(3) { On("Person") { Rewrite { _, _ in .keep } } }
    }
    #expect(try Self.evaluates(history, to: 1) == [false, true, true])
    #expect(try Self.evaluates(history, to: 2) == [false, false, true])
    #expect(try Self.evaluates(history, to: 3) == [false, false, false])
  }

  @Test("H7: what a condition or the member itself needs does not make it depend on others")
  func sharedSteps() throws {
    func evaluates(@OperationBuilder _ operations: () -> [RecordOperation]) throws -> [Bool] {
      let history = SchemaHistory {
        Base(0) {
          Type("Person", key: "id") {
            Field("id", .int64)
            Field("age", .int64)
            Field("name", .string)
          }
        }
        Version(1) { On("Person", operations: operations) }
      }
      return try Self.evaluates(history, to: 1)
    }
    // The condition is evaluated before any member, so what it needs has not failed.
    #expect(
      try evaluates {
        Convert("name", to: .string) { (name: String) in name + "!" }
        DropRecords(from: "name") { (name: String) in name.isEmpty }
      } == [false, true, true])
    // Who computes the second computes the first, but not the other way round.
    #expect(
      try evaluates {
        Derive("long", from: "name") { (name: String) in name + name }
        Derive("longer", from: "long") { (long: String) in long + long }
      } == [false, false, false, false, true])
  }
}
