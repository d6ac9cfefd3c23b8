import BinaryCoding
import FileIO
import LogStore
import ObjectStore
import Testing

/// The bytes of indexes in the log; see section 19 of Documentation/Format.md.
@Suite("Bytes of indexes")
struct GoldenIndexTests {
  struct Thing: StorableObject {
    static let primaryKey = "id"
    static let indexes: [IndexDeclaration] = [.unique("code"), IndexDeclaration("size")]
    var id: Int64 = 0
    var code: String?
    var size = 0.0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("code", &code)
      try visitor.member("size", &size)
    }
  }

  static let history = SchemaHistory {
    Base(0) {
      Type("Thing", key: "id") {
        Field("id", .int64)
        Field("code", .optional(.string))
        Field("size", .double)
      }
    }
  }

  static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  static func makeStore() throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    let store = try Store.open(
      at: "/store", models: [Thing.self], history: history, configuration: .quiet,
      fileSystem: fileSystem)
    try store.write { transaction in
      try transaction.put(Thing(id: 1, code: "a\0b", size: -1))
      try transaction.put(Thing(id: 2, code: nil, size: 1.5))
    }
    try store.close()
    return fileSystem
  }

  @Test("The catalog's record and the keys of two indexes never change")
  func golden() throws {
    let log = try Log.open(at: "/store", fileSystem: try Self.makeStore())
    let snapshot = log.snapshot()
    let record = try #require(try snapshot.record(for: [3], in: .catalog))
    let type = "00" + "055468696e67"
    let sum = Self.hex(Self.fingerprint)
    #expect(
      Self.hex(record.payload)
        == "0102" + type + "0004636f6465" + "01" + "11" + "00" + sum
        + type + "000473697a65" + "02" + "01" + "00" + sum)
    func keys(_ collection: UInt32) throws -> [String] {
      let cursor = try snapshot.records(in: CollectionIdentifier(collection))
      var keys: [String] = []
      while let next = try cursor.next() {
        #expect(next.record.payload.isEmpty && next.record.schemaVersion == 0)
        keys.append(Self.hex(next.key))
      }
      return keys
    }
    #expect(try keys(1) == ["00" + "8000000000000002", "016100ff620001" + "8000000000000001"])
    #expect(
      try keys(2)
        == ["01400fffffffffffff" + "8000000000000001", "01bff8000000000000" + "8000000000000002"])
    try log.close()
  }

  struct Listed: StorableObject {
    static let primaryKey = "id"
    static let indexes = [IndexDeclaration("codes")]
    var id: Int64 = 0
    var codes: [String] = []
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("codes", &codes)
    }
  }

  static let listedHistory = SchemaHistory {
    Base(0) {
      Type("Listed", key: "id") {
        Field("id", .int64)
        Field("codes", .list(.string))
      }
    }
  }

  @Test("The record and the keys of an index of elements never change; older readers refuse them")
  func goldenElements() throws {
    let fileSystem = InMemoryFileSystem()
    func open() throws -> Store {
      try Store.open(
        at: "/store", models: [Listed.self], history: Self.listedHistory, configuration: .quiet,
        fileSystem: fileSystem)
    }
    let store = try open()
    try store.write { transaction in
      try transaction.put(Listed(id: 1, codes: ["b", "a", "b"]))
      try transaction.put(Listed(id: 2, codes: ["a", ""]))
      try transaction.put(Listed(id: 3, codes: []))
    }
    try store.close()
    var log = try Log.open(at: "/store", fileSystem: fileSystem)
    let payload = try #require(try log.snapshot().record(for: [3], in: .catalog)).payload
    #expect(
      Self.hex(payload)
        == "0201" + "00" + "064c6973746564" + "0005636f646573" + "01" + "21" + "00"
        + Self.hex(Self.fingerprint(of: "Listed", Self.listedHistory)))
    let cursor = try log.snapshot().records(in: CollectionIdentifier(1))
    var keys: [String] = []
    while let next = try cursor.next() { keys.append(Self.hex(next.key)) }
    let (one, two) = ("8000000000000001", "8000000000000002")
    #expect(keys == ["010001" + two, "01610001" + one, "01610001" + two, "01620001" + one])
    // As format 1 it would be an index of texts; unique it cannot be.
    for (place, byte) in [(0, 1), (18, 0x31)] as [(Int, UInt8)] {
      var changed = payload
      changed[place] = byte
      try log.transact { transaction in
        try transaction.put([3], in: .catalog, schemaVersion: 0, payload: changed)
      }
      try log.close()
      let error = try #require(throws: StoreError.self) { try open() }
      guard case .malformedCatalog = error else { throw error }
      log = try Log.open(at: "/store", fileSystem: fileSystem)
    }
    try log.close()
  }

  static var fingerprint: [UInt8] { fingerprint(of: "Thing", history) }

  /// The sum of no operations.
  static func fingerprint(of type: String, _ history: SchemaHistory) -> [UInt8] {
    var writer = ByteWriter()
    let sum = history.fingerprint(
      of: TypeIdentity(introducedIn: 0, originalName: type), through: 0)
    writer.writeInteger(sum.high)
    writer.writeInteger(sum.low)
    return writer.array()
  }

  @Test("P14: a damaged record of indexes is refused with a typed error, at every length and byte")
  func hostile() throws {
    let fileSystem = try Self.makeStore()
    var log = try Log.open(at: "/store", fileSystem: fileSystem)
    let payload = try #require(try log.snapshot().record(for: [3], in: .catalog)).payload
    try log.close()
    var wrong = (0..<payload.count).map { Array(payload.prefix($0)) } + [payload + [0]]
    for (place, byte) in [(0, 3), (1, 255), (15, 0), (15, 2), (16, 3), (16, 33)] as [(Int, UInt8)] {
      var changed = payload
      changed[place] = byte
      wrong.append(changed)
    }
    var accepted: [String] = []
    for payload in wrong {
      log = try Log.open(at: "/store", fileSystem: fileSystem)
      try log.transact { transaction in
        try transaction.put([3], in: .catalog, schemaVersion: 0, payload: payload)
      }
      try log.close()
      do {
        let store = try Store.open(
          at: "/store", models: [Thing.self], history: Self.history, configuration: .quiet,
          fileSystem: fileSystem)
        try store.close()
        accepted.append(Self.hex(payload))
      } catch .malformedCatalog { continue } catch .newerCatalog where payload.first == 3 {
        continue
      } catch { accepted.append("\(error)") }
    }
    #expect(accepted.isEmpty)
  }
}
