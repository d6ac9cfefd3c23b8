import SchemaRegistry
import Testing

@Suite("Schema histories")
struct SchemaHistoryTests {
  private let history = SchemaHistory {
    Base(1) {
      Type("Person", key: "id") {
        Field("id", .int64)
        Field("first", .string)
        Field("home", .object([MemberShape("zip", .int32, introducedIn: 7)]))
      }
      Type("Draft", key: "id") { Field("id", .int64) }
    }
    Version(2) {
      On("Person") {
        Rename("first", to: "name")
        Add("age", .int, default: 0)
      }
      RemoveType("Draft")
    }
    Version(3) {
      RenameType("Person", to: "Contact")
      On("Contact") { Convert("age", to: .string, revision: 2) { (age: Int) in String(age) } }
      Type("Draft", key: "id") { Field("id", .int64) }
    }
    Version(4) {}
  }

  @Test("Every operation has a stable id and a class (H14)")
  func operations() {
    #expect(
      history.operations.map(\.id) == [
        "v2/Person/1", "v2/Person/2", "v2/Draft/1", "v3/Person/1", "v3/Contact/1", "v3/Draft/1",
      ])
    #expect(
      history.operations.map(\.operationClass) == [.fused, .fused, nil, nil, .pure, nil])
  }

  @Test("A renamed type keeps its identity and upgrades its records (R27)")
  func renamedType() throws {
    let first = try #require(try history.shape(at: 1).type(named: "Person"))
    let last = try #require(try history.shape(at: 4).type(named: "Contact"))
    #expect(first.identity == last.identity)
    let home = Value.object(["zip": 5])
    #expect(
      try Upgrading(history: history).run(["id": 1, "first": "Ada", "home": home], from: 1)
        == ["id": 1, "name": "Ada", "age": "0", "home": home])
  }

  @Test("A type that was removed and introduced again is another type (R29)")
  func reintroducedType() throws {
    let old = try #require(try history.shape(at: 1).type(named: "Draft"))
    let new = try #require(try history.shape(at: 3).type(named: "Draft"))
    #expect(old.identity != new.identity)
    #expect(try history.shape(at: 2).type(named: "Draft") == nil)
    #expect(throws: SchemaError.self) {
      try history.upgradePlan(for: old.identity, from: 1, source: old, to: 3, target: new)
    }
  }

  @Test("The last version that touched a type is known (R16)")
  func lastTouched() throws {
    let person = TypeIdentity(introducedIn: 1, originalName: "Person")
    #expect(history.lastVersion(touching: person, through: 4) == 3)
    #expect(history.lastVersion(touching: person, through: 2) == 2)
    #expect(history.lastVersion(touching: person, through: 1) == 1)
  }

  @Test("Versions outside the history are refused")
  func unknownVersion() {
    for version in [0, 5] as [SchemaVersion] {
      #expect(throws: SchemaError.unknownVersion(version: version, oldest: 1, latest: 4)) {
        try history.shape(at: version)
      }
    }
  }

  @Test("The history fingerprint sees parameters, defaults, revisions and earlier versions (H14)")
  func fingerprints() throws {
    func history(_ value: Value, _ revision: UInt32, _ separator: String) -> SchemaHistory {
      SchemaHistory {
        Base(0) {
          Type("Person", key: "id") {
            Field("id", .int64)
            Field("name", .string)
          }
        }
        Version(1) {
          On("Person") {
            Add("a", .int64, default: value)
            Convert("name", to: .string, revision: revision) { (text: String) in text }
            Derive("first", .string, .textBefore(.member("name"), separator: separator))
          }
        }
        Version(2) {}
      }
    }
    let base = history(0, 1, ",")
    #expect(try history(0, 1, ",").fingerprint(at: 2) == base.fingerprint(at: 2))
    for other in [history(1, 1, ","), history(0, 2, ","), history(0, 1, ";")] {
      #expect(try other.fingerprint(at: 0) == base.fingerprint(at: 0))
      #expect(try other.fingerprint(at: 1) != base.fingerprint(at: 1))
      #expect(try other.fingerprint(at: 2) != base.fingerprint(at: 2))
    }
    #expect(try base.fingerprint(at: 1) != base.fingerprint(at: 2))
  }

  @Test("A squashed history keeps shapes, ids, fingerprints and upgrades (H15)")
  func squash() throws {
    let squashed = try history.squashed(floor: 2)
    #expect(squashed.issues == [])
    for version in [2, 3, 4] as [SchemaVersion] {
      #expect(try squashed.shape(at: version) == history.shape(at: version))
      #expect(try squashed.fingerprint(at: version) == history.fingerprint(at: version))
    }
    #expect(squashed.operations == history.operations.filter { $0.version > 2 })
    #expect(throws: SchemaError.self) { try squashed.shape(at: 1) }
    let record: [String: Value] = ["id": 1, "name": "Ada", "age": 3, "home": .object(["zip": 5])]
    #expect(
      try Upgrading(history: squashed).run(record, from: 2)
        == Upgrading(history: history).run(record, from: 2))
  }

  @Test("Additions, removals and loosened members are inferred; renames and the rest are not")
  func inference() throws {
    func shape(_ members: [MemberShape]) throws -> TypeShape {
      try TypeShape(
        name: "T", identity: TypeIdentity(introducedIn: 0, originalName: "T"), keyMember: "id",
        members: [MemberShape("id", .int64)] + members)
    }
    let old = try shape([
      MemberShape("a", .string), MemberShape("b", .string), MemberShape("c", .int32),
    ])
    let new = try shape([
      MemberShape("b", .optional(.string)), MemberShape("c", .int64), MemberShape("d", .bool),
      MemberShape("e", .string), MemberShape("f", .optional(.date)),
    ])
    let (operations, undecided) = old.inferredOperations(to: new, defaults: ["d": true])
    #expect(
      undecided == [
        .memberTypeChanged(type: "T", member: "c", from: .int32, to: .int64),
        .memberAdded(type: "T", member: "e", holds: .string),
      ])
    let history = SchemaHistory(
      base: Base(version: 0, types: [Type(old)]),
      versions: [Version(number: 9, changes: [.records(type: "T", operations: operations)])],
      allowsGaps: true)
    #expect(
      try Upgrading(history: history, typeName: "T").run(
        ["id": 1, "a": "x", "b": "y", "c": 2], from: 0)
        == ["id": 1, "b": "y", "c": 2, "d": true, "f": .null])
    let adopted = try new.adoptingIdentities(
      from: #require(try history.shape(at: 9).type(named: "T")))
    #expect(adopted.members.map(\.identity.introducedIn) == [0, 0, 0, 9, 0, 9])
  }

  @Test("Literals are numbers of the member's type, as in a history file")
  func literals() {
    let pairs: [(Add, Add)] = [
      (Add("a", .double, default: 0), Add("a", .double, default: .double(0))),
      (Add("a", .float, default: 1.5), Add("a", .float, default: .float(1.5))),
      (Add("a", .optional(.float), default: 2), Add("a", .optional(.float), default: .float(2))),
      (Add("a", .date, default: 0), Add("a", .date, default: .date(0))),
      (Add("a", .list(.string), default: []), Add("a", .list(.string), default: .list([]))),
      (
        Add("a", .dictionary(.int64), default: ["b": 1]),
        Add("a", .dictionary(.int64), default: .dictionary(["b": .int(1)]))
      ),
    ]
    for (literal, value) in pairs {
      #expect(String(describing: literal) == String(describing: value))
    }
    #expect(String(describing: Add("a", .int64, default: 1.5)).contains("double(1.5)"))
  }

  @Test("Changes may depend on a condition, as lines of any other block", arguments: [false, true])
  func conditions(isFirst: Bool) throws {
    let history = SchemaHistory {
      Base(0) { Type("P", key: "id") { Field("id", .int64) } }
      Version(1) {
        if isFirst {
          On("P") { Add("x", .int64, default: 1) }
        } else {
          On("P") {
            if isFirst { Add("z", .int64, default: 1) } else { Add("y", .int64, default: 1) }
          }
        }
      }
    }
    let names = try history.shape(at: 1).types[0].members.map(\.name)
    #expect(names == ["id", isFirst ? "x" : "y"])
  }

  @Test("R16: a barrier touches all of its types, whatever it is named after")
  func touchedByBarrier() {
    let history = SchemaHistory {
      Base(0) {
        for name in ["Person", "Pet", "Draft"] { Type(name, key: "id") { Field("id", .int64) } }
      }
      Version(1) { Barrier("pairs", touching: "Person", "Pet") { _ in } }
      Version(2) { On("Draft") { Add("text", .string, default: "") } }
    }
    func last(_ name: String, _ version: SchemaVersion) -> SchemaVersion {
      history.lastVersion(
        touching: TypeIdentity(introducedIn: 0, originalName: name), through: version)
    }
    #expect(["Person", "Pet", "Draft"].map { last($0, 0) } == [0, 0, 0])
    #expect(["Person", "Pet", "Draft"].map { last($0, 1) } == [1, 1, 0])
    #expect(["Person", "Pet", "Draft"].map { last($0, 2) } == [1, 1, 2])
  }
}
