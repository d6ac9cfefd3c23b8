import FileIO
import Foundation
import ObjectStore
import Testing

/// Typed objects and dynamic ones are the same bytes.
@Suite struct TypedCodingTests {
  struct Everything: StorableObject, Equatable {
    static let primaryKey = "id"
    var id = UUID()
    var flag = false
    var small = Int32(0)
    var large = Int64(0)
    var single = Float(0)
    var double = 0.0
    var text = ""
    var bytes = Data()
    var date = Date()
    var other = UUID()
    var maybe: String?
    var number: Int?
    var list: [Int] = []
    var gaps: [String?] = []
    var named: [String: Double] = [:]

    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("flag", &flag)
      try visitor.member("id", &id)
      try visitor.member("small", &small)
      try visitor.member("large", &large)
      try visitor.member("single", &single)
      try visitor.member("double", &double)
      try visitor.member("text", &text)
      try visitor.member("bytes", &bytes)
      try visitor.member("date", &date)
      try visitor.member("other", &other)
      try visitor.member("maybe", &maybe)
      try visitor.member("number", &number)
      try visitor.member("list", &list)
      try visitor.member("gaps", &gaps)
      try visitor.member("named", &named)
    }
  }

  static let fields: [Field] = [
    Field("id", .uuid), Field("flag", .bool), Field("small", .int32), Field("large", .int64),
    Field("single", .float), Field("double", .double), Field("text", .string),
    Field("bytes", .data), Field("date", .date), Field("other", .uuid),
    Field("maybe", .optional(.string)), Field("number", .optional(.int64)),
    Field("list", .list(.int64)), Field("gaps", .list(.optional(.string))),
    Field("named", .dictionary(.double)),
  ]

  static let history = SchemaHistory {
    Base(0) { Type("Everything", key: "id") { for field in fields { field } } }
  }

  static var sample: Everything {
    Everything(
      id: UUID(), flag: true, small: -7, large: .min, single: .pi, double: -0.0, text: "Grüße",
      bytes: Data([0, 255]), date: Date(timeIntervalSinceReferenceDate: 12.5), other: UUID(),
      maybe: "", number: nil, list: [1, -1, .max], gaps: ["a", nil, ""],
      named: ["b": 2, "a": .infinity])
  }

  static func open(_ fileSystem: InMemoryFileSystem, typed: Bool) throws(StoreError) -> Store {
    try Store.open(
      at: "/store", models: typed ? [Everything.self] : [], history: history,
      configuration: .quiet, fileSystem: fileSystem)
  }

  @Test(
    "every member type reads back as it was, in both orders of members", arguments: [true, false])
  func readsBack(typedFirst: Bool) throws {
    // When the typed model writes first, the store takes its order of members; else the history's.
    let fileSystem = InMemoryFileSystem()
    var object = Self.sample
    var store = try Self.open(fileSystem, typed: typedFirst)
    if typedFirst {
      try store.write { try $0.put(object) }
    } else {
      try store.write { transaction in
        try transaction.put(
          transaction.makeObject(ofType: "Everything", Self.dynamicMembers(of: object)))
      }
    }
    try store.close()
    store = try Self.open(fileSystem, typed: true)
    #expect(try store.snapshot().get(Everything.self, object.id) == object)
    object.text = "changed"
    object.maybe = nil
    object.number = 5
    try store.write { try $0.put(object) }
    #expect(try store.snapshot().get(Everything.self, object.id) == object)
    let dynamic = try store.snapshot().object(
      ofType: "Everything", key: .uuid(object.id.uniqueIdentifier))
    #expect(dynamic?.members == Self.dynamicMembers(of: object))
    try store.close()
  }

  static func dynamicMembers(of object: Everything) -> [String: Value] {
    [
      "id": object.id.dynamicValue, "flag": .bool(object.flag), "small": .int(Int64(object.small)),
      "large": .int(object.large), "single": .float(object.single),
      "double": .double(object.double), "text": .string(object.text),
      "bytes": .data([UInt8](object.bytes)), "date": object.date.dynamicValue,
      "other": object.other.dynamicValue, "maybe": object.maybe.dynamicValue,
      "number": object.number.dynamicValue, "list": object.list.dynamicValue,
      "gaps": object.gaps.dynamicValue, "named": object.named.dynamicValue,
    ]
  }

  @Test func aModelThatWasNotRegisteredIsRefused() throws {
    let store = try Self.open(InMemoryFileSystem(), typed: false)
    #expect(throws: StoreError.unregisteredModel(type: "Everything")) {
      try store.snapshot().get(Everything.self, UUID())
    }
    try store.close()
  }

  @Test func aTransactionThatThrowsChangesNothing() throws {
    struct Stop: Error {}
    let store = try Self.open(InMemoryFileSystem(), typed: true)
    let object = Self.sample
    #expect(throws: Stop.self) {
      try store.write { transaction in
        try transaction.put(object)
        #expect(try transaction.get(Everything.self, object.id) == object)
        throw Stop()
      }
    }
    #expect(try store.snapshot().get(Everything.self, object.id) == nil)
    try store.write { try $0.put(object) }
    try store.write { try $0.delete(Everything.self, object.id) }
    #expect(try store.snapshot().get(Everything.self, object.id) == nil)
    try store.close()
  }

  @Test func anUnknownMemberOrAWrongKeyIsATypedError() throws {
    let store = try Self.open(InMemoryFileSystem(), typed: true)
    #expect(throws: StoreError.self) {
      try store.write { try $0.makeObject(ofType: "Everything", ["nothing": .null]) }
    }
    #expect(throws: StoreError.self) {
      try store.snapshot().object(ofType: "Nothing", key: .int(1))
    }
    try store.write { try $0.put(Self.sample) }
    #expect(throws: StoreError.self) {
      try store.snapshot().object(ofType: "Everything", key: .int(1))
    }
    try store.close()
  }
}
