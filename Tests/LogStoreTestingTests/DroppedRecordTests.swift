import FileIO
import LogStoreTesting
import ObjectStore
import Testing

/// What the self-test makes of steps that drop the records it made up, and of steps that nobody
/// needs.
@Suite("A record that is dropped proves nothing")
struct DroppedRecordTests {
  private struct Refusal: Error {}

  /// Tasks of which all are dropped that are not open.
  private static func failures(
    _ state: Field, _ text: @escaping @Sendable (Int) throws -> String
  ) throws -> [SelfTestFailure] {
    let history = SchemaHistory(
      base: Base(0) {
        Type("Task", key: "id") {
          Field("id", .int64)
          state
          Field("due", .int64)
        }
      },
      versions: [
        Version(1) {
          On("Task") {
            DropRecords(from: "state") { (state: String) in state != "open" }
            Convert("due", to: .string) { (due: Int) throws -> String in try text(due) }
          }
        }
      ])
    #expect(history.issues == [])
    return try history.selfTest(samplesPerType: 20)
  }

  @Test("H3: where all made-up records are dropped, the other steps run on them all the same")
  func allDropped() throws {
    // No text that is made up says "open".
    let state = Field("state", .string)
    #expect(try Self.failures(state) { "\($0)" }.map(\.description) == [])
    let failures = try Self.failures(state) { _ in throw Refusal() }
    #expect(failures.count == 1)
    let problem = failures.first?.problem ?? ""
    #expect(problem.hasPrefix("none of 20 made-up records is kept, nor could be"), "\(problem)")
    #expect(problem.contains("Refusal") && problem.contains("declare the cases"), "\(problem)")
    let counter = Lock(0)
    let impure = try Self.failures(state) { _ in
      counter.withLock { count in
        count += 1
        return "\(count)"
      }
    }
    #expect(impure.count == 1)
    #expect(impure.first?.problem.contains("is not pure") == true, "\(impure)")
  }

  @Test("H3: where declared cases keep some of them, those have to be upgraded")
  func someKept() throws {
    let state = Field("state", .string, cases: ["open", "done"])
    #expect(try Self.failures(state) { "\($0)" }.map(\.description) == [])
    let failures = try Self.failures(state) { _ in throw Refusal() }
    #expect(failures.count == 1)
    let problem = failures.first?.problem ?? ""
    #expect(problem.hasPrefix("none of 20 made-up records could be upgraded"), "\(problem)")
  }

  private static func history(
    @OperationBuilder _ operations: () -> [RecordOperation]
  ) -> SchemaHistory {
    SchemaHistory(
      base: Base(0) {
        Type("Sample", key: "id") {
          Field("id", .int64)
          Field("value", .string)
        }
      },
      versions: [
        Version(number: 1, changes: [.records(type: "Sample", operations: operations())])
      ])
  }

  @Test("H3: code that drops all made-up records is a failure that says what to do")
  func rewritten() throws {
    let history = Self.history { Rewrite { _, _ in .drop } }
    let failures = try history.selfTest(samplesPerType: 10)
    #expect(failures.count == 1)
    let problem = failures.first?.problem ?? ""
    #expect(problem.hasPrefix("none of 10 made-up records is kept, which proves"), "\(problem)")
    #expect(problem.contains("MigrationFixture"), "\(problem)")
  }

  @Test("R14: a step that is not pure is found though nobody needs its result")
  func neededByNobody() throws {
    let counter = Lock(0)
    let history = Self.history {
      Derive("count", from: "value") { (_: String) -> Int in
        counter.withLock { count in
          count += 1
          return count
        }
      }
      Remove("count")
    }
    #expect(history.issues == [])
    let failures = try history.selfTest(samplesPerType: 10)
    #expect(failures.count == 1)
    #expect(failures.first?.problem.contains("is not pure") == true, "\(failures)")
  }

  @Test("A self-test of no record at all is a programmer error")
  func noSamples() async {
    await #expect(processExitsWith: .failure) {
      _ = try SchemaHistory(base: Base(version: 0, types: []), versions: [])
        .selfTest(samplesPerType: 0)
    }
  }
}
