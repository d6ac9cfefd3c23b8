import SchemaRegistry
import Testing

/// What older apps can do with objects whose enumerations changed.
@Suite("Compatibility of cases")
struct CaseCompatibilityTests {
  private static let order = TypeIdentity(introducedIn: 0, originalName: "Order")

  private func history(@OperationBuilder _ operations: () -> [RecordOperation]) -> SchemaHistory {
    SchemaHistory(
      base: CaseTests.base,
      versions: [Version(number: 1, changes: [.records(type: "Order", operations: operations())])])
  }

  private func check(
    _ grade: ForwardGrade, _ forward: [Incompatibility.Code], _ additive: [Incompatibility.Code],
    @OperationBuilder _ operations: () -> [RecordOperation]
  ) throws {
    let history = history(operations)
    #expect(history.issues == [])
    #expect(history.forwardGrade(of: Self.order, since: 0) == grade)
    #expect(try history.check(.forward, since: 0).map(\.code) == forward)
    #expect(try history.check(.full, since: 0).map(\.code) == forward)
    #expect(try history.check(.additive, since: 0).map(\.code) == additive)
    #expect(try history.check(.backward, since: 0) == [])
  }

  @Test("An added case is enumCaseMissing; with readAs older apps may do everything")
  func additions() throws {
    try check(.readOnly, [.enumCaseMissing], [.enumCaseMissing]) {
      AddCases("status", ["refunded"])
    }
    try check(.full, [], [.enumCaseMissing]) {
      AddCases("status", ["refunded"], readAs: "paid")
    }
    try check(.full, [], [.enumCaseMissing]) {
      AddCases("level", [3], readAs: .null)
    }
    try check(.readOnly, [.enumCaseMissing], [.enumCaseMissing]) { AddCases("marks", ["big"]) }
  }

  @Test("A case that is mapped to another is no obstacle; one with a new name is read back")
  func mappings() throws {
    try check(.full, [], [.enumCaseMissing]) { RenameCase("status", "void", to: "paid") }
    try check(.full, [], [.enumCaseMissing]) { RenameCase("level", 1, to: .null) }
    try check(.readOnly, [.readOnlyInverse], [.readOnlyInverse]) {
      RenameCase("status", "void", to: "gone")
    }
    let swap = MapCases(
      "status", of: ["new", "paid", "void"], ["new": "paid", "paid": "new", "void": "void"])
    try check(.readOnly, [.readOnlyInverse], [.readOnlyInverse]) { swap }
    // Which of the two an object had cannot be told.
    try check(.refused, [.enumCaseMissing], [.enumCaseMissing]) {
      MapCases(
        "status", of: ["new", "paid", "void"], ["new": "open", "paid": "open", "void": "void"])
    }
    // Nobody knows the cases.
    try check(.refused, [.enumCaseMissing], [.enumCaseMissing]) {
      RenameCase("note", "a", to: "b")
    }
  }

  @Test("readAs is a case from before, of a member that is neither a list nor the key")
  func readAs() {
    func issues(@OperationBuilder _ operations: () -> [RecordOperation]) -> [String] {
      history(operations).issues.map(\.description)
    }
    #expect(
      issues { AddCases("status", ["refunded"], readAs: "refunded") } == [
        #"v1/Order/1 (Order.status): The readAs of Order.status is "refunded", which is no case "#
          + #"of it. The cases here are "new", "paid", "void"."#
      ])
    #expect(issues { AddCases("status", ["refunded"], readAs: .null) }.count == 1)
    #expect(issues { AddCases("marks", ["big"], readAs: "gift") }.count == 1)
    let keyed = SchemaHistory {
      Base(0) { Type("A", key: "id") { Field("id", .string, cases: ["x"]) } }
      Version(1) { On("A") { AddCases("id", ["y"]) } }
      Version(2) { On("A") { AddCases("id", ["z"], readAs: "x") } }
    }
    #expect(keyed.issues.map(\.operationID) == ["v2/A/1"])
  }

  @Test("Ways back are recorded, whatever the file or the order of cases; readAs is in no hash")
  func recorded() throws {
    let plain = history { AddCases("status", ["refunded"]) }
    let readAs = history { AddCases("status", ["refunded"], readAs: "paid") }
    #expect(try plain.fingerprint(at: 1) == readAs.fingerprint(at: 1))
    let recorded = try #require(readAs.ledger(through: 1)[1])
    #expect(recorded.inverses.count == 1)
    #expect(plain.ledger(through: 1)[1]?.inverses == [])
    let bytes = recorded.encoded()
    #expect(try bytes.withUnsafeBytes { try RecordedVersion(decoding: $0) } == recorded)
    let read = try HistoryFiles.read(HistoryFiles.write(readAs))
    #expect(read.ledger(through: 1)[1] == recorded)
  }
}
