import FileIO
import Foundation
import LogStoreTesting
import ObjectStore
import StorageTestSupport
import Testing

/// Which records the self-test makes up, what they cost, and what it says where they prove nothing.
@Suite("The self-test of a history")
struct SelfTestTests {
  private struct Refusal: Error {}

  private static func history(
    _ type: FieldType, @OperationBuilder _ operations: () -> [RecordOperation]
  ) -> SchemaHistory {
    SchemaHistory(
      base: Base(0) {
        Type("Sample", key: "id") {
          Field("id", .int64)
          Field("value", type)
        }
      },
      versions: [
        Version(number: 1, changes: [.records(type: "Sample", operations: operations())])
      ])
  }

  @Test("H3: it fails where no made-up record can be upgraded, and says why")
  func nothingUpgraded() throws {
    let history = Self.history(.string) {
      Convert("value", to: .int64) { (_: String) throws -> Int in throw Refusal() }
    }
    let failures = try history.selfTest(samplesPerType: 10)
    #expect(failures.count == 1)
    let problem = failures.first?.problem ?? ""
    #expect(problem.hasPrefix("none of 10 made-up records could be upgraded"), "\(problem)")
    #expect(problem.contains("v1/Sample/1") && problem.contains("Refusal"), "\(problem)")
    #expect(problem.contains("MigrationFixture"), "\(problem)")
    let some = Self.history(.bool) {
      Convert("value", to: .int64) { (value: Bool) throws -> Int in
        if value { throw Refusal() }
        return 1
      }
    }
    #expect(try some.selfTest(samplesPerType: 50).map(\.description) == [])
  }

  @Test("A member that was made optional and removed later is no failure: the type is refused")
  func removedInTwoSteps() throws {
    let base = Base(0) {
      Type("Sample", key: "id") {
        Field("id", .int64)
        Field("value", .string)
      }
    }
    let history = SchemaHistory(
      base: base,
      versions: [
        Version(1) { On("Sample") { MakeOptional("value") } },
        Version(2) { On("Sample") { Remove("value") } },
      ])
    #expect(try history.selfTest(samplesPerType: 10).map(\.problem) == [])
  }

  @Test("It fails where the code of a step is not at hand, once for each type")
  func codeMissing() throws {
    let step = StepClosure(revision: 1, inputTypes: [.string], outputType: .int64, run: nil)
    let history = Self.history(.string) {
      RecordOperation.convert(member: "value", to: .int64, computation: .closure(step))
    }
    let failures = try history.selfTest(samplesPerType: 10)
    #expect(failures.count == 1)
    #expect(failures.first?.problem.contains("v1/Sample/1") == true, "\(failures)")
  }

  @Test("Numbers are negative, tiny, huge, infinite and none at all, too; and pass unchanged")
  func numbers() throws {
    func seen<Number: ValueConvertible & Sendable>(
      _ type: FieldType, _: Number.Type
    ) throws -> [Number] {
      let seen = Lock<[Number]>([])
      let history = Self.history(type) {
        Derive("copy", from: "value") { (value: Number) in
          seen.withLock { $0.append(value) }
          return value
        }
      }
      #expect(try history.selfTest(samplesPerType: 200).map(\.description) == [])
      return seen.withLock { $0 }
    }
    func expect(_ numbers: [some BinaryFloatingPoint]) {
      #expect(numbers.contains { $0.isNaN })
      #expect(numbers.contains { $0 == .infinity } && numbers.contains { $0 == -.infinity })
      #expect(numbers.contains { $0 < 0 && $0.isFinite } && numbers.contains { $0 > 0 })
      #expect(numbers.contains { $0.isZero && $0.sign == .minus })
      #expect(numbers.contains { $0.magnitude == .leastNonzeroMagnitude })
      #expect(numbers.contains { $0.magnitude == .greatestFiniteMagnitude })
    }
    expect(try seen(.double, Double.self))
    expect(try seen(.float, Float.self))
    let whole = try seen(.int64, Int.self)
    #expect(whole.count { $0 < 0 } * 4 > whole.count && whole.count { $0 > 0 } * 4 > whole.count)
    #expect(whole.contains { $0 < -1 << 50 } && whole.contains { $0 > 1 << 50 })
    let small = try seen(.int32, Int32.self)
    #expect(small.contains { $0 < -1 << 25 } && small.contains { $0 > 1 << 25 })
  }

  @Test("H9: twice as many versions cost no more than four times the upgrades")
  func cost() throws {
    func runs(_ count: UInt64) throws -> Int {
      let runs = Lock(0)
      let history = SchemaHistory(
        base: Base(0) {
          Type("Sample", key: "id") {
            Field("id", .int64)
            Field("value", .string)
          }
        },
        versions: [
          Version(1) {
            On("Sample") {
              Derive("copy", from: "value") { (value: String) in
                runs.withLock { $0 += 1 }
                return value
              }
            }
          }
        ]
          + (2...count).map { number in
            Version(SchemaVersion(number)) {
              On("Sample") { Add("member\(number)", .int64, default: 1) }
            }
          })
      #expect(try history.selfTest(samplesPerType: 3).map(\.description) == [])
      return runs.withLock { $0 }
    }
    // The step of version 1 runs for records of version 0 alone: one of two factors is gone.
    #expect(try runs(20) < 3 * runs(10))
  }

  @Test("Dates have fractions, are in the distant past and future, infinite, and none at all")
  func dates() throws {
    let seen = Lock<[Date]>([])
    let history = Self.history(.date) {
      Derive("copy", from: "value") { (value: Date) in
        seen.withLock { $0.append(value) }
        return value
      }
    }
    #expect(try history.selfTest(samplesPerType: 1000).map(\.description) == [])
    let dates = seen.withLock { $0 }
    #expect(dates.contains(.distantPast) && dates.contains(.distantFuture))
    let seconds = dates.map(\.timeIntervalSinceReferenceDate)
    #expect(seconds.contains { $0.isNaN })
    #expect(seconds.contains(.infinity) && seconds.contains(-.infinity))
    #expect(seconds.contains { $0.isFinite && $0.rounded() != $0 && $0 > 1 })
    #expect(seconds.contains { $0.isFinite && $0.rounded() != $0 && $0 < -1 })
  }
}
