import FileIO
import ObjectStore
import Synchronization
import Testing

/// Enumerations in the code whose cases the history declares, too.
@Suite struct EnumerationCaseTests {
  enum Status: String, StorableValue, CaseIterable { case new, paid, refunded }
  enum Level: Int32, StorableValue, CaseIterable {
    case low = 1
    case high = 2
  }
  enum Mark: String, StorableValue, CaseIterable { case gift }
  /// Does not list its cases.
  enum Size: String, StorableValue { case small }

  struct Order: StorableObject {
    static let primaryKey = "id"
    var id = 0
    var status = Status.new
    var level: Level?
    var marks: Set<Mark> = []
    var history: [String: Status] = [:]
    var size = Size.small
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("status", &status)
      try visitor.member("level", &level)
      try visitor.member("marks", &marks)
      try visitor.member("history", &history)
      try visitor.member("size", &size)
    }
  }

  /// The base with cases, or with none.
  static func base(
    status: [Value]? = nil, level: [Value]? = nil, marks: [Value]? = nil, history: [Value]? = nil,
    size: [Value]? = nil
  ) -> Base {
    Base(0) {
      Type("Order", key: "id") {
        Field("id", .int64)
        Field("status", .string, cases: status)
        Field("level", .optional(.int32), cases: level)
        Field("marks", .list(.string), cases: marks)
        Field("history", .dictionary(.string), cases: history)
        Field("size", .string, cases: size)
      }
    }
  }

  static func open(_ fileSystem: InMemoryFileSystem, _ history: SchemaHistory) throws -> Store {
    try Store.open(
      at: "/s", models: [Order.self], history: history, configuration: .quiet,
      fileSystem: fileSystem)
  }

  struct Parcel: EmbeddedObject {
    var size = Size.small
    var level = Level.low
    var inner: [String: Label] = [:]
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("size", &size)
      try visitor.member("level", &level)
      try visitor.member("inner", &inner)
    }
  }

  struct Label: EmbeddedObject {
    var status = Status.new
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("status", &status)
    }
  }

  struct Shipment: StorableObject {
    static let primaryKey = "id"
    var id = 0
    var parcels: [Parcel] = []
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("parcels", &parcels)
    }
  }

  struct CodedLabel: Codable, Equatable {
    enum Sort: String, Codable, CaseIterable { case plain, fancy }
    var sort = Sort.plain
  }
  struct CodedShipment: CodableObject {
    static let primaryKey = "id"
    var id = 0
    var label = CodedLabel()
    var spare: CodedLabel?
  }

  @Test("R7: cases inside of embedded objects are compared on every level")
  func embedded() throws {
    func history(level: [Value], status: [Value]) -> SchemaHistory {
      let label = FieldType.object([MemberShape("status", .string)])
      return SchemaHistory(
        base: Base(0) {
          Type("Shipment", key: "id") {
            Field("id", .int64)
            Field(
              "parcels",
              .list(
                .object([
                  MemberShape("size", .string), MemberShape("level", .int32),
                  MemberShape("inner", .dictionary(label)),
                ])),
              inside: [
                "level": .cases(level), "size": .cases(["any"]),
                "inner": .inside(["status": .cases(status)]),
              ])
          }
        })
    }
    func open(_ history: SchemaHistory) throws {
      try Store.open(
        at: "/s", models: [Shipment.self], history: history, configuration: .quiet,
        fileSystem: InMemoryFileSystem()
      ).close()
    }
    try open(history(level: [1, 2], status: ["refunded", "new", "paid"]))
    let differences = [
      CaseDifference(
        type: "Shipment", member: "parcels.inner.status", added: ["refunded"], removed: [],
        enclosing: [#"Each("parcels")"#, #"Each("inner")"#]),
      CaseDifference(
        type: "Shipment", member: "parcels.level", added: [], removed: [3],
        enclosing: [#"Each("parcels")"#]),
    ]
    #expect(
      differences[0].alternatives
        == [[#"Each("parcels") { Each("inner") { AddCases("status", ["refunded"]) } }"#]])
    #expect(
      throws: StoreError.schema(.casesDiffer(version: 0, differences: differences))
    ) { try open(history(level: [1, 2, 3], status: ["new", "paid"])) }
  }

  @Test("R7: those of Codable types, too")
  func codedInside() throws {
    let label = FieldType.object([MemberShape("sort", .string)])
    func open(_ cases: [Value]) throws {
      let history = SchemaHistory(
        base: Base(0) {
          Type("CodedShipment", key: "id") {
            Field("id", .int64)
            Field("label", label, inside: ["sort": .cases(cases)])
            Field("spare", .optional(label), inside: ["sort": .cases(["plain", "fancy"])])
          }
        })
      try Store.open(
        at: "/s", models: [CodedShipment.self], history: history, configuration: .quiet,
        fileSystem: InMemoryFileSystem()
      ).close()
    }
    try open(["plain", "fancy"])
    let differences = [
      CaseDifference(
        type: "CodedShipment", member: "label.sort", added: ["fancy"], removed: [],
        enclosing: [#"On("label")"#])
    ]
    #expect(
      throws: StoreError.schema(.casesDiffer(version: 0, differences: differences))
    ) {
      () throws in try open(["plain"])
    }
  }

  @Test("R7: cases of code that the history has not, and the other way round, are listed at once")
  func differences() throws {
    let history = SchemaHistory {
      Self.base(
        status: ["new", "paid", "void"], level: [1], marks: ["gift", "late"],
        history: ["new", "paid", "refunded"], size: ["huge"])
    }
    let expected = [
      CaseDifference(type: "Order", member: "status", added: ["refunded"], removed: ["void"]),
      CaseDifference(type: "Order", member: "level", added: [2], removed: []),
      CaseDifference(type: "Order", member: "marks", added: [], removed: ["late"]),
    ]
    let fileSystem = InMemoryFileSystem()
    #expect(throws: StoreError.schema(.casesDiffer(version: 0, differences: expected))) {
      try Self.open(fileSystem, history)
    }
    let mended = SchemaHistory(
      base: history.base,
      versions: [
        Version(1) {
          On("Order") {
            RenameCase("status", "void", to: "refunded")
            AddCases("level", [2])
            Convert("marks", to: .list(.string), .constant(.list(["gift"])))
          }
        }
      ])
    try Self.open(fileSystem, mended).close()
  }

  struct Coded: CodableObject {
    enum Kind: String, Codable, CaseIterable { case plain, fancy }
    static let primaryKey = "id"
    var id = 0
    var kind = Kind.plain
    var other: Kind?
    var name = ""
  }

  @Test("Enumerations of Codable models say their cases, alone and optional")
  func coded() throws {
    func open(_ cases: [Value]) throws {
      let history = SchemaHistory {
        Base(0) {
          Type("Coded", key: "id") {
            Field("id", .int64)
            Field("kind", .string, cases: ["plain", "fancy"])
            Field("other", .optional(.string), cases: cases)
            Field("name", .string, cases: ["any"])
          }
        }
      }
      try Store.open(
        at: "/s", models: [Coded.self], history: history, configuration: .quiet,
        fileSystem: InMemoryFileSystem()
      ).close()
    }
    try open(["fancy", "plain"])
    let difference = CaseDifference(
      type: "Coded", member: "other", added: ["fancy"], removed: ["huge"])
    #expect(throws: StoreError.schema(.casesDiffer(version: 0, differences: [difference]))) {
      try open(["plain", "huge"])
    }
  }

  @Test("Histories that declare no cases stay valid, whatever the code has")
  func undeclared() throws {
    let fileSystem = InMemoryFileSystem()
    func history(_ status: [Value]?, _ size: [Value]?) -> SchemaHistory {
      SchemaHistory {
        Base(0) {
          Type("Order", key: "id") {
            Field("id", .int64)
            Field("status", .string, cases: status)
            Field("level", .optional(.int32))
            Field("marks", .list(.string))
            Field("history", .dictionary(.string))
          }
        }
        Version(1) { On("Order") { Add("size", .string, default: "small", cases: size) } }
      }
    }
    let shipped = history(nil, nil)
    var store = try Store.open(
      at: "/s", history: SchemaHistory { shipped.base }, configuration: .quiet,
      fileSystem: fileSystem)
    try store.write { transaction in
      try transaction.put(
        transaction.makeObject(
          ofType: "Order",
          [
            "id": 0, "status": "paid", "level": .null, "marks": .list([]),
            "history": .dictionary([:]),
          ]))
    }
    try store.close()
    store = try Self.open(fileSystem, shipped)
    try store.write { try $0.put(Order(id: 1, status: .refunded)) }
    try store.close()
    // Declaring them later is no edit, neither of the base nor of the version.
    store = try Self.open(fileSystem, history(["new", "paid", "refunded"], ["small"]))
    #expect(try store.snapshot().get(Order.self, 0)?.status == .paid)
    #expect(try store.snapshot().get(Order.self, 1)?.status == .refunded)
    try store.close()
  }

  /// Counts how often it is asked for its cases.
  enum Counted: String, StorableValue, CaseIterable {
    case one
    static let asked = Mutex(0)
    static var allCases: [Counted] {
      asked.withLock { $0 += 1 }
      return [.one]
    }
  }
  /// Says by itself which cases are stored.
  enum Chosen: String, StorableValue, CaseIterable {
    case one, transient
    static var storedCases: [Value] { [Chosen.one.dynamicValue] }
  }

  struct Tally: StorableObject {
    static let primaryKey = "id"
    var id = 0
    var counted = Counted.one
    var chosen = Chosen.one
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("counted", &counted)
      try visitor.member("chosen", &chosen)
    }
  }

  @Test("Enumerations are asked for their cases only where the history declares some")
  func asked() throws {
    func open(_ cases: [Value]?) throws {
      let history = SchemaHistory {
        Base(0) {
          Type("Tally", key: "id") {
            Field("id", .int64)
            Field("counted", .string)
            Field("chosen", .string, cases: cases)
          }
        }
      }
      try Store.open(
        at: "/s", models: [Tally.self], history: history, configuration: .quiet,
        fileSystem: InMemoryFileSystem()
      ).close()
    }
    try open(nil)
    #expect(Counted.asked.withLock { $0 } == 0)
    try open(["one"])
    #expect(Counted.asked.withLock { $0 } == 1)
    #expect(throws: StoreError.self) { try open(["one", "transient"]) }
  }

  @Test("R16, R18: objects from before an added case are read, changed and found as they are")
  func added() throws {
    let fileSystem = InMemoryFileSystem()
    let base = Self.base(status: ["new", "paid"])
    let older = try Store.open(
      at: "/s", history: SchemaHistory { base }, configuration: .quiet, fileSystem: fileSystem)
    try older.write { transaction in
      for id in 0..<3 {
        try transaction.put(
          transaction.makeObject(
            ofType: "Order",
            [
              "id": .int(Int64(id)), "status": id == 0 ? "new" : "paid", "level": .null,
              "marks": .list([]), "history": .dictionary([:]), "size": "small",
            ]))
      }
    }
    try older.close()
    let history = SchemaHistory {
      base
      Version(1) { On("Order") { AddCases("status", ["refunded"]) } }
    }
    let store = try Self.open(fileSystem, history)
    try store.write { transaction in
      var order = try #require(try transaction.get(Order.self, 1))
      #expect(order.status == .paid)
      order.status = .refunded
      try transaction.put(order)
    }
    let snapshot = store.snapshot()
    #expect(try snapshot.get(Order.self, 0)?.status == .new)
    #expect(try snapshot.get(Order.self, 1)?.status == .refunded)
    #expect(try snapshot.get(Order.self, 2)?.status == .paid)
    try store.close()
  }
}
