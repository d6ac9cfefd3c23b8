import Foundation
import SchemaRegistry
import Testing

/// Barriers as a part of histories: shapes, ids, files, and what is wrong before any data is read.
@Suite("Barriers in histories")
struct BarrierIssueTests {
  private let base = Base(0) {
    Type("Person", key: "id") {
      Field("id", .int64)
      Field("email", .string)
      Field("nick", .optional(.string))
    }
    Type("Pet", key: "id") { Field("id", .int64) }
  }

  private func history(@ChangeBuilder _ changes: () -> [SchemaChange]) -> SchemaHistory {
    SchemaHistory(base: base, versions: [Version(number: 1, changes: changes())])
  }

  private func issues(@ChangeBuilder _ changes: () -> [SchemaChange]) -> [String] {
    history(changes).issues.map { "\($0.operationID) \($0.member ?? "")" }
  }

  @Test("A change of keys changes the shape; its id is stable, its class B")
  func shapes() throws {
    let history = history { Rekey("Person", to: "email", onDuplicate: .keepLast) }
    #expect(history.issues == [])
    #expect(try history.shape(at: 1).type(named: "Person")?.keyMember == "email")
    #expect(history.operations.map(\.id) == ["v1/Person/1"])
    #expect(history.operations.map(\.operationClass) == [.barrier])
    let coded = self.history { Barrier("dedupe", touching: "Person", revision: 3) { _ in } }
    #expect(coded.operations.map(\.id) == ["v1/barrier:dedupe"])
    #expect(coded.operations.map(\.revision) == [3])
  }

  @Test("A move takes members with fewer cases, and is the same in whichever order it drops some")
  func moves() {
    func history(_ dropping: [String], _ cases: [Value]?) -> SchemaHistory {
      SchemaHistory {
        Base(0) {
          Type("Person", key: "id") {
            Field("id", .int64)
            Field("kind", .string, cases: ["a", "b"])
            Field("name", .string)
            Field("nick", .string)
          }
          Type("Guest", key: "id") {
            Field("id", .int64)
            Field("kind", .optional(.string), cases: cases)
          }
        }
        Version(1) { Move("Person", to: "Guest", dropping: dropping, where: .constant(true)) }
      }
    }
    let one = history(["name", "nick"], ["b", "c", "a"])
    #expect(one.issues == [])
    #expect(history(["name", "nick"], nil).issues == [])
    let other = history(["nick", "name"], ["b", "c", "a"])
    #expect(other.issues == [])
    #expect(one.operations.map(\.parameterHash) == other.operations.map(\.parameterHash))
  }

  @Test("H4: wrong barriers are issues; the key is changed by barriers only")
  func wrongBarriers() {
    #expect(issues { Rekey("Person", to: "none") } == ["v1/Person/1 Person.none"])
    #expect(issues { Rekey("Person", to: "id") } == ["v1/Person/1 Person.id"])
    #expect(issues { Rekey("Person", to: "nick") } == ["v1/Person/1 Person.nick"])
    #expect(issues { Rekey("Ghost", to: "id") } == ["v1/Ghost/1 "])
    #expect(
      issues {
        Rekey("Person", to: "email")
        On("Person") { Remove("nick") }
      } == ["v1/Person/2 "])
    #expect(
      issues {
        Rekey("Person", to: "email")
        Barrier("a", touching: "Person") { _ in }
      } == ["v1/barrier:a "])
    #expect(issues { Barrier("a", touching: "Ghost") { _ in } } == ["v1/barrier:a "])
    #expect(issues { Barrier("a") { _ in } } == ["v1/barrier:a "])
    #expect(
      issues {
        Barrier("a", touching: "Person") { _ in }
        Barrier("a", touching: "Pet") { _ in }
      } == ["v1/barrier:a "])
  }

  @Test("No plan leads past a barrier: its records were all brought along when it ran")
  func plans() throws {
    let history = history { Rekey("Person", to: "email") }
    #expect(
      throws: SchemaError.barrierNotRun(type: "Person", operationID: "v1/Person/1")
    ) { try Upgrading(history: history).plan(from: 0) }
    _ = try Upgrading(history: history, typeName: "Pet").plan(from: 0)
  }

  @Test("Barriers read back from a file; code needs the app")
  func files() throws {
    let history = SchemaHistory(
      base: base,
      versions: [
        Version(1) { Rekey("Person", to: "email", onDuplicate: .keepFirst) },
        Version(2) { Barrier("dedupe", touching: "Person", "Pet", revision: 2) { _ in } },
      ])
    let again = try HistoryFiles.read(HistoryFiles.write(history))
    #expect(again.issues == [])
    #expect(try again.fingerprint(at: 2) == history.fingerprint(at: 2))
    #expect(again.operations.map(\.needsApplicationCode) == [false, true])
    #expect(history.typesNeedingCode == [])
    #expect(again.typesNeedingCode == ["Person", "Pet"])
    #expect(throws: SchemaError.self) {
      try HistoryFiles.read(
        try HistoryFiles.write(history).replacingOccurrences(of: "keepFirst", with: "keepAny"))
    }
  }
}
