import FileIO
import ObjectStore
import Testing

@Suite("A member that is declared twice has one index, unique if either is (H5, R38)")
struct TwiceDeclaredIndexTests {
  struct First: StorableObject {
    static let typeName = "Account"
    static let primaryKey = "id"
    static let indexes = [IndexDeclaration("mail"), .unique("mail")]
    var id = 0
    var mail = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("mail", &mail)
    }
  }

  /// The same in the other order.
  struct Second: StorableObject {
    static let typeName = "Account"
    static let primaryKey = "id"
    static let indexes = [.unique("mail"), IndexDeclaration("mail"), IndexDeclaration("mail")]
    var id = 0
    var mail = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("mail", &mail)
    }
  }

  static let history = SchemaHistory {
    Base(0) {
      Type("Account", key: "id") {
        Field("id", .int64)
        Field("mail", .string)
      }
    }
  }

  enum Opening: CaseIterable {
    case history, additive, configured

    func open(_ model: any StorableObject.Type) throws -> Store {
      let fileSystem = InMemoryFileSystem()
      switch self {
      case .history:
        return try Store.open(
          at: "/s", models: [model], history: TwiceDeclaredIndexTests.history,
          configuration: .quiet, fileSystem: fileSystem)
      case .additive:
        return try Store.open(
          at: "/s", models: [model], evolution: .additive, configuration: .quiet,
          fileSystem: fileSystem)
      case .configured:
        return try MigrationOnceTests.open(fileSystem, [model], 0, .onRead)
      }
    }
  }

  static let refused = StoreError.notUnique(type: "Account", member: "mail", keyText: "1")

  @Test("The order does not matter, in no way of opening a store", arguments: Opening.allCases)
  func staysUnique(opening: Opening) throws {
    let first = try opening.open(First.self)
    try first.write { try $0.put(First(id: 1, mail: "m")) }
    #expect(throws: Self.refused) { try first.write { try $0.put(First(id: 2, mail: "m")) } }
    try first.close()
    let second = try opening.open(Second.self)
    try second.write { try $0.put(Second(id: 1, mail: "m")) }
    #expect(throws: Self.refused) { try second.write { try $0.put(Second(id: 2, mail: "m")) } }
    try second.close()
  }
}
