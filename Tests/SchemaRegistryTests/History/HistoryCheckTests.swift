import SchemaRegistry
import Testing

/// What is found at open, from the catalog alone.
@Suite("Checking a store against a history")
struct HistoryCheckTests {
  private let person = TypeIdentity(introducedIn: 0, originalName: "Person")

  private var history: SchemaHistory { history(base: 0) }

  private func history(base: SchemaVersion) -> SchemaHistory {
    SchemaHistory(
      base: Base(base) {
        Type(
          name: "Person", keyMember: "id",
          fields: [
            Field("id", .int64, identity: MemberIdentity(introducedIn: 0, originalName: "id")),
            Field(
              "name", .string, identity: MemberIdentity(introducedIn: 0, originalName: "name")),
          ], identity: person)
      },
      versions: [1, 2, 3].filter { $0 > base.rawValue }.map { number in
        Version(SchemaVersion(number)) {
          if number == 2 { On("Person") { Add("email", .optional(.string)) } }
        }
      })
  }

  private func check(
    _ history: SchemaHistory, stored: [SchemaVersion: SchemaShape] = [:],
    counts: [SchemaVersion: UInt64] = [:], requested: SchemaVersion,
    ledger: [SchemaVersion: RecordedVersion] = [:], declared: SchemaShape? = nil
  ) throws(SchemaError) -> HistoryCheckResult {
    try HistoryCheck.check(
      history, storedShapes: stored,
      records: counts.map { RecordCount(type: person, version: $0, count: $1) },
      requested: requested, ledger: ledger, declared: declared)
  }

  @Test("A new store needs no step (R1), the reserved version is refused (R1)")
  func newStore() throws {
    #expect(try check(history, requested: 3).isUpToDate)
    #expect(throws: SchemaError.reservedVersion) { try check(history, requested: .reserved) }
  }

  @Test("Equal version and equal shape: nothing to do (R2)")
  func equal() throws {
    let stored = try history.shape(at: 3)
    let result = try check(
      history, stored: [3: stored], counts: [3: 10], requested: 3, declared: stored)
    #expect(result.isUpToDate)
  }

  @Test("A bumped version with equal shapes is legal and upgrades nothing (R3)")
  func bump() throws {
    let result = try check(
      history, stored: [0: history.shape(at: 0)], counts: [0: 5], requested: 1)
    #expect(result.isUpToDate)
    let later = try check(
      history, stored: [0: history.shape(at: 0)], counts: [0: 5, 2: 1], requested: 3)
    #expect(later.outdated == [RecordCount(type: person, version: 0, count: 5)])
    #expect(later.oldestNeeded == 0)
  }

  @Test("A store of a higher version is refused (R4)")
  func newer() throws {
    #expect(throws: SchemaError.storeIsNewer(stored: 3, requested: 2)) {
      try check(history, stored: [3: history.shape(at: 3)], requested: 2)
    }
    #expect(throws: SchemaError.storeIsNewer(stored: 3, requested: 2)) {
      try check(history, counts: [3: 1], requested: 2)
    }
  }

  @Test("An equal version with another shape lists every difference (R5)")
  func mismatch() throws {
    let edited = SchemaHistory {
      Base(0) {
        Type("Person", key: "id") {
          Field("id", .int64)
          Field("name", .optional(.string))
          Field("age", .int32)
        }
        Type("Pet", key: "id") { Field("id", .int64) }
      }
    }
    #expect(
      throws: SchemaError.schemaMismatch(
        version: 0,
        differences: [
          .madeOptional(type: "Person", member: "name"),
          .memberAdded(type: "Person", member: "age", holds: .int32),
        ])
    ) {
      try check(edited, stored: [0: history.shape(at: 0)], requested: 0)
    }
  }

  @Test("A chain that starts too late names the first missing version and the records (R6)")
  func incomplete() throws {
    #expect(
      throws: SchemaError.chainIncomplete(
        missing: 1, oldestStored: 0, requested: 3, recordCount: 7)
    ) {
      try check(history(base: 2), counts: [0: 3, 1: 4, 2: 90], requested: 3)
    }
    #expect(
      throws: SchemaError.chainIncomplete(
        missing: 4, oldestStored: 3, requested: 5, recordCount: 2)
    ) {
      try check(history, counts: [3: 2], requested: 5)
    }
    #expect(try check(history(base: 2), counts: [0: 0, 2: 1], requested: 3).isUpToDate)
  }

  @Test("So does a chain that passes over a version of which there are records (R6)")
  func passedOver() throws {
    let gaps = SchemaHistory(
      base: history.base, versions: [Version(3) {}, Version(6) {}], allowsGaps: true)
    #expect(
      throws: SchemaError.chainIncomplete(
        missing: 1, oldestStored: 0, requested: 6, recordCount: 9)
    ) {
      try check(gaps, counts: [0: 3, 1: 4, 3: 1, 4: 5], requested: 6)
    }
    #expect(try check(gaps, counts: [0: 3, 1: 0, 3: 1, 6: 2], requested: 6).isUpToDate)
  }

  @Test("Records of types that the history does not know are left alone (R28)")
  func unknownTypes() throws {
    let other = RecordCount(
      type: TypeIdentity(introducedIn: 0, originalName: "Other"), version: 0, count: 9)
    let result = try HistoryCheck.check(
      history(base: 2), storedShapes: [:], records: [other], requested: 3)
    #expect(result.isUpToDate)
  }

  @Test("A chain that does not reach the declared model lists every difference (R7)")
  func unreached() throws {
    let declared = try SchemaShape(
      version: 3,
      types: [
        TypeShape(
          name: "Person", identity: TypeIdentity(introducedIn: 9, originalName: "Person"),
          keyMember: "id",
          members: [
            MemberShape("email", .string), MemberShape("id", .int64), MemberShape("nick", .bool),
          ])
      ])
    #expect(
      throws: SchemaError.chainDoesNotReachModel(
        version: 3,
        differences: [
          .memberRemoved(type: "Person", member: "name", held: .string),
          .madeRequired(type: "Person", member: "email"),
          .memberAdded(type: "Person", member: "nick", holds: .bool),
        ])
    ) {
      try check(history, requested: 3, declared: declared)
    }
  }

  @Test("Edited, inserted and removed operations of shipped versions are named (R8, H14)")
  func edited() throws {
    let stored = history.ledger(through: 2)
    let later = history.ledger(through: 3)
    let other = SchemaHistory(
      base: history.base,
      versions: [
        Version(1) {},
        Version(2) { On("Person") { Add("email", .optional(.string), default: "") } },
        Version(3) { On("Person") { Remove("email") } },
      ])
    #expect(throws: SchemaError.historyEdited(operationIDs: ["v2/Person/1"])) {
      try check(
        other, stored: [2: history.shape(at: 2)], requested: 3, ledger: stored)
    }
    #expect(throws: SchemaError.historyEdited(operationIDs: ["v2/Person/1", "v3/Person/1"])) {
      try check(
        other, stored: [3: history.shape(at: 3)], requested: 3, ledger: later)
    }
    _ = try check(history, stored: [3: history.shape(at: 3)], requested: 3, ledger: later)
    _ = try check(
      other, stored: [0: history.shape(at: 0)], requested: 3,
      ledger: history.ledger(through: 0))
  }

  @Test("R5: a stored type that is another one under the same name is a difference")
  func anotherType() throws {
    let stored = try SchemaShape(
      version: 0,
      types: [
        try TypeShape(
          name: "Person", identity: TypeIdentity(introducedIn: 0, originalName: "Human"),
          keyMember: "id", members: try history.shape(at: 0).types[0].members)
      ])
    let error = #expect(throws: SchemaError.self) {
      try check(history, stored: [0: stored], counts: [:], requested: 3)
    }
    #expect(error?.description.contains("Person is another type") == true)
  }

  @Test(
    "R16: objects from before a barrier need its version, also those that it is not named after")
  func beforeBarrier() throws {
    let history = SchemaHistory {
      Base(0) {
        Type("Person", key: "id") { Field("id", .int64) }
        Type("Pet", key: "id") { Field("id", .int64) }
      }
      Version(1) { Barrier("pairs", touching: "Pet", "Person") { _ in } }
    }
    let result = try check(history, counts: [0: 3, 1: 4], requested: 1)
    #expect(result.outdated == [RecordCount(type: person, version: 0, count: 3)])
    #expect(result.oldestNeeded == 0)
  }
}
