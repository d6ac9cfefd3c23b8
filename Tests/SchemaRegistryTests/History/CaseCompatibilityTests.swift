import HistoryTestSupport
import SchemaRegistry
import StorageTestSupport
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

  @Test("Cases that are mapped are read back, and older apps write none: some are gone")
  func mappings() throws {
    try check(.readOnly, [.readOnlyInverse], [.readOnlyInverse]) {
      RenameCase("status", "void", to: "paid")
    }
    try check(.readOnly, [.readOnlyInverse], [.readOnlyInverse]) {
      RemoveCase("status", "void", to: "paid")
    }
    try check(.readOnly, [.readOnlyInverse], [.readOnlyInverse]) {
      RenameCase("level", 1, to: .null)
    }
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

  @Test("Against the shipped file: cases that were added by editing a declaration")
  func against() throws {
    func history(_ cases: [Value]?) -> SchemaHistory {
      SchemaHistory {
        Base(0) {
          Type("Order", key: "id") {
            Field("id", .int64)
            Field("status", .string, cases: cases)
          }
        }
        Version(1) { On("Order") { Add("note", .string, default: "") } }
      }
    }
    let shipped = history(["new", "paid"])
    let edited = history(["new", "paid", "void"])
    for mode in CompatibilityMode.allCases {
      #expect(
        try edited.check(mode, against: shipped).map(\.description) == [
          #"enumCaseMissing Order.status (v1): Order.status has "void" besides. "#
            + "Put the change into a new version."
        ])
    }
    #expect(
      try history(["new"]).check(.backward, against: shipped).map(\.code) == [.enumCaseMissing])
    #expect(try history(["paid", "new"]).check(.full, against: shipped) == [])
    // A declaration that comes late is free.
    #expect(try shipped.check(.full, against: history(nil)) == [])
    let later = SchemaHistory(
      base: shipped.base,
      versions: shipped.versions + [Version(2) { On("Order") { AddCases("status", ["void"]) } }])
    #expect(try later.check(.backward, against: shipped) == [])
  }

  @Test("A case that went and came back means another value: nobody writes it for the one it was")
  func comingBack() throws {
    let history = SchemaHistory(
      base: CaseTests.base,
      versions: [
        Version(1) { On("Order") { RemoveCase("status", "void", to: "paid") } },
        Version(2) { On("Order") { AddCases("status", ["void"], readAs: "new") } },
      ])
    #expect(history.issues == [])
    #expect(history.forwardGrade(of: Self.order, since: 0) == .readOnly)
    #expect(history.forwardGrade(of: Self.order, since: 1) == .full)
    let (known, stored) = (try history.shape(at: 0), try history.shape(at: 2))
    let projection = try Projection(
      known: try #require(known.type(Self.order)), stored: try #require(stored.type(Self.order)),
      version: 2, inverses: history.inverses(of: Self.order, after: 0, through: 2))
    func payload(_ status: Value) throws -> [UInt8] {
      try RecordPayload.encode([1, status, 1, .list([]), ""], shape: projection.known)
    }
    #expect(try projection.read(payload("void"), key: 1) == payload("new"))
    #expect(try projection.write(payload("new"), over: payload("void"), key: 1) == payload("void"))
    #expect(throws: SchemaError.self) {
      try projection.write(payload("void"), over: payload("paid"), key: 1)
    }
  }

  @Test("A library that looks at grades alone does no harm: it cannot write a case that is gone")
  func gradesAlone() throws {
    for seed in UInt64(1)...200 {
      var random = SeededGenerator(seed: seed)
      let history = Self.randomHistory(&random)
      let after = try history.cases(at: history.latestVersion).first?.cases ?? []
      for from in 0..<history.latestVersion.rawValue {
        let from = SchemaVersion(from)
        guard history.forwardGrade(of: Self.order, since: from) == .full else { continue }
        let before = try history.cases(at: from).first?.cases ?? []
        try StorageTestSupport.check(
          before.allSatisfy(after.contains), "seed \(seed), version \(from)")
      }
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

  /// A history of one member whose cases change in each version.
  private static func randomHistory(_ random: inout SeededGenerator) -> SchemaHistory {
    var cases: [Value] = ["a", "b", "c"]
    var gone: [Value] = []
    var names = 0
    let base = Base(0) {
      Type("Order", key: "id") {
        Field("id", .int64)
        Field("status", .string, cases: cases)
      }
    }
    var versions: [Version] = []
    for number in 1...UInt64.random(in: 1...4, using: &random) {
      names += 1
      // Names come back, too.
      let old = random.chance(2) ? gone.randomElement(using: &random) : nil
      let fresh = old ?? .string("n\(names)")
      let operation: RecordOperation
      if random.chance(2) {
        let readAs = random.chance(5) ? nil : cases.randomElement(using: &random)
        operation = .addCases(member: "status", [fresh], readAs: readAs)
      } else {
        let mappings = cases.map { old in
          let new = random.chance(2) ? old : (cases + [fresh]).randomElement(using: &random)
          return CaseMapping(from: old, to: new ?? old)
        }
        operation = .mapCases(member: "status", mappings, all: random.chance(2) ? cases : nil)
      }
      versions.append(
        Version(
          number: SchemaVersion(number),
          changes: [.records(type: "Order", operations: [operation])]))
      let history = SchemaHistory(base: base, versions: versions)
      let left = (try? history.cases(at: SchemaVersion(number)).first?.cases) ?? cases
      gone = (gone + cases).filter { !left.contains($0) }
      cases = left
    }
    return SchemaHistory(base: base, versions: versions)
  }

  /// What is wrong with what an app of version `from` reads and writes; counts what it tried.
  private static func problems(
    _ history: SchemaHistory, from: SchemaVersion, _ counts: inout [ForwardGrade: Int]
  ) throws -> [String] {
    let latest = history.latestVersion
    let grade = history.forwardGrade(of: order, since: from)
    counts[grade, default: 0] += 1
    let (known, stored) = (try history.shape(at: from), try history.shape(at: latest))
    guard grade != .refused, let old = known.type(order), let new = stored.type(order),
      let before = try history.cases(at: from).first?.cases,
      let after = try history.cases(at: latest).first?.cases
    else { return [] }
    let isBlind = try history.check(.forward, since: from).contains { $0.code == .enumCaseMissing }
    let projection = try Projection(
      known: old, stored: new, version: latest,
      inverses: history.inverses(of: order, after: from, through: latest))
    var problems: [String] = []
    for value in after where !isBlind {
      let payload = try RecordPayload.encode([1, value], shape: new)
      let read = try projection.read(payload, key: 1)
      let seen = try RecordPayload.decode(read, key: 1, shape: old)[1]
      if !before.contains(seen) { problems.append("\(value) is read as \(seen)") }
      if try projection.write(read, over: payload, key: 1) != payload {
        problems.append("\(value) changes though nobody changed it")
      }
      for other in before where other != seen {
        let wanted = try RecordPayload.encode([1, other], shape: old)
        guard let written = try? projection.write(wanted, over: payload, key: 1) else {
          if grade == .full, after.contains(other) {
            problems.append("\(other) cannot be written")
          }
          continue
        }
        // Whatever the grade: what was written is what is read.
        let again = try projection.read(written, key: 1)
        if again != wanted { problems.append("\(other) is read back as another") }
        let found = try RecordPayload.decode(written, key: 1, shape: new)[1]
        if found != other || !after.contains(found) {
          problems.append("\(other) is written as \(found)")
        }
      }
    }
    return problems
  }

  @Test("Random changes: older apps read only cases they know, and write only those that are left")
  func randomChanges() throws {
    var counts: [ForwardGrade: Int] = [:]
    var failures: [String] = []
    for seed in UInt64(1)...400 {
      var random = SeededGenerator(seed: seed)
      let history = Self.randomHistory(&random)
      if !history.issues.isEmpty { failures.append("seed \(seed): \(history.issues)") }
      for from in 0..<history.latestVersion.rawValue {
        failures += try Self.problems(history, from: SchemaVersion(from), &counts)
          .map { "seed \(seed), version \(from): \($0)" }
      }
    }
    #expect(failures == [])
    #expect(counts.count == 3)
    #expect(counts.values.allSatisfy { $0 > 50 })
  }
}
