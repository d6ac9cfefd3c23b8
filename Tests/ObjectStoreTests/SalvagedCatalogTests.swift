import FileIO
import LogStore
import StorageTestSupport
import Testing

@testable import ObjectStore

/// What describes the data is small, and all objects need it: salvage must not lose it with a bit.
@Suite("A salvage loses no more than what cannot be read (P6, P20)")
struct SalvagedCatalogTests {
  static let history = SchemaHistory {
    Base(0) {
      Type("Customer", key: "id") {
        Field("id", .int64)
        Field("name", .string)
      }
      Type("Order", key: "id") {
        Field("id", .int64)
        Field("title", .string)
      }
      Type("Invoice", key: "id") {
        Field("id", .int64)
        Field("text", .string)
      }
    }
  }
  static let types = ["Customer", "Order", "Invoice"]
  static let count = 3

  static func open(
    _ fileSystem: any FileSystem, _ path: String = "/store",
    readMode: LogConfiguration.ReadMode = .mapped
  ) throws -> Store {
    var configuration = StoreConfiguration.quiet
    configuration.log.readMode = readMode
    configuration.log.compression = .none
    return try Store.open(
      at: path, history: history, configuration: configuration, fileSystem: fileSystem)
  }

  static func put(_ type: String, _ id: Int, _ store: Store) throws {
    try store.write { transaction in
      try transaction.put([.int(Int64(id)), .string("\(type) \(id)")], ofType: type)
    }
  }

  /// A store whose types are described one after another, each with some commits behind it.
  static func makeStore() throws -> SimulatedFileSystem {
    let fileSystem = SimulatedFileSystem()
    let store = try open(fileSystem)
    for type in types {
      for id in 0..<count { try put(type, id, store) }
    }
    try store.close()
    return fileSystem
  }

  /// The objects of each type; all are what was put.
  static func objects(_ store: Store) throws -> Int {
    var found = 0
    for type in types {
      for object in try store.snapshot().objects(ofType: type).all() {
        guard case .int(let id) = object.key else { throw ChangeWatchTests.GivenUp() }
        let member = try #require(object.shape.members.last?.name)
        #expect(object[member] == .string("\(type) \(id)"))
        found += 1
      }
    }
    return found
  }

  @Test("Any flipped bit costs one commit at most, and no object becomes one of another type")
  func flippedBits() throws {
    let whole = try Self.makeStore()
    let name = "segment-00000001.log"
    let bytes = try #require(whole.snapshotOfFiles(in: "/store")[name])
    var problems: [String] = []
    var restored = 0
    // A different residue of places each time the store's bytes change; all are too slow.
    for offset in stride(from: Int(bytes[100]) % 5, to: bytes.count, by: 5) {
      let fileSystem = whole.pristineCopy()
      fileSystem.flipBit(offset % 8, of: name, in: "/store", at: offset)
      do {
        let report = try LogSalvage.salvage("/store", to: "/saved", fileSystem: fileSystem)
        if report.notes.contains(where: { $0.contains("copies") }) { restored += 1 }
        let store = try Self.open(fileSystem, "/saved")
        let found = try Self.objects(store)
        if found < Self.types.count * Self.count - 1 { problems.append("\(offset): \(found)") }
        // A description that is lost all the same never gives its objects away.
        try Self.put("Invoice", 100, store)
        let invoices = try store.snapshot().count(ofType: "Invoice")
        if invoices > Self.count + 1 { problems.append("\(offset): \(invoices) invoices") }
        try store.close()
      } catch { problems.append("\(offset): \(error)") }
    }
    #expect(problems.isEmpty, "\(problems.count) of \(bytes.count): \(problems.prefix(8))")
    #expect(restored > 10)
  }

  @Test("Each description has one copy, made by a later commit or by closing, and again later")
  func copies() throws {
    let fileSystem = InMemoryFileSystem()
    func records(_ collection: CollectionIdentifier) throws -> [[UInt8]: (UInt64, [UInt8])] {
      let log = try Log.open(at: "/store", fileSystem: fileSystem)
      defer { try? log.close() }
      let cursor = try log.snapshot().records(in: collection, keys: .catalogOfSchemas)
      var found: [[UInt8]: (UInt64, [UInt8])] = [:]
      while let (key, record) = try cursor.next() {
        found[key] = (record.sequence.rawValue, record.payload)
      }
      return found
    }
    var store = try Self.open(fileSystem)
    try Self.put("Customer", 1, store)
    try store.close()
    #expect(try records(.catalogCopies).count >= 2)
    store = try Self.open(fileSystem)
    try Self.put("Customer", 2, store)
    try Self.put("Order", 1, store)
    try Self.put("Customer", 3, store)
    let last = try store.statistics().log.lastSequence.rawValue
    try Self.put("Customer", 4, store)
    #expect(try store.statistics().log.lastSequence.rawValue == last + 1, "nothing more to copy")
    try store.close()
    let copies = try records(.catalogCopies)
    for (collection, tag) in [(CollectionIdentifier.catalog, 0), (.ledger, 1)] {
      let originals = try records(collection)
      if tag == 0 { #expect(!originals.isEmpty) }
      for (key, original) in originals {
        let copy = try #require(copies[[UInt8(tag)] + key])
        #expect(copy.1 == original.1 && copy.0 > original.0)
      }
    }
    #expect(try copies.count == records(.catalog).count + records(.ledger).count)
  }

  @Test(
    "A copy that is damaged, or cannot be read, harms nobody, and is put again",
    arguments: [false, true])
  func damagedCopy(isUnreadable: Bool) throws {
    let whole = try Self.makeStore()
    let name = "segment-00000001.log"
    let log = try Log.open(at: "/store", fileSystem: whole)
    let cursor = try log.snapshot().records(in: .catalogCopies)
    let payload = try #require(try cursor.next()).record.payload
    try log.close()
    let bytes = try #require(whole.snapshotOfFiles(in: "/store")[name])
    // The original comes first.
    let places = bytes.indices.filter { bytes[$0...].starts(with: payload) }
    try #require(places.count >= 2)
    if !isUnreadable { whole.flipBit(0, of: name, in: "/store", at: places[1]) }
    var store = try Self.open(whole, readMode: .buffered)
    if isUnreadable {
      let place = places[1]..<places[1] + 1
      whole.setOverlays([ReadOverlay(file: "store/" + name, .unreadable(place))])
    }
    try Self.put("Order", 100, store)
    #expect(!isUnreadable || whole.failedReadCount > 0)
    whole.setOverlays([])
    try store.close()
    store = try Self.open(whole)
    #expect(try Self.objects(store) == Self.types.count * Self.count + 1)
    try store.close()
    let copies = try Log.open(at: "/store", fileSystem: whole)
    let walk = try copies.snapshot().records(in: .catalogCopies)
    var count = 0
    while try walk.next() != nil { count += 1 }
    #expect(count >= 2)
    try copies.close()
  }

  @Test("A store of one transaction has copies when it is closed, in a commit of their own")
  func oneTransaction() throws {
    let whole = SimulatedFileSystem()
    var store = try Self.open(whole)
    try store.write { transaction in
      for id in 0..<50 {
        try transaction.put([.int(Int64(id)), .string("Order \(id)")], ofType: "Order")
      }
    }
    try store.close()
    store = try Self.open(whole)
    let log = store.log
    #expect(try log.snapshot().records(in: .catalogCopies).next() != nil)
    try store.close()
  }

  @Test("A compaction keeps descriptions and their copies apart: one header hides one of them only")
  func compacted() throws {
    let whole = SimulatedFileSystem()
    var store = try Self.open(whole)
    for _ in 0..<5 { for id in 0..<4 { try Self.put("Order", id, store) } }
    try store.compact()
    try store.close()
    let names = whole.snapshotOfFiles(in: "/store").keys.filter { $0.hasPrefix("segment") }
    var problems: [String] = []
    for name in names {
      let bytes = try #require(whole.snapshotOfFiles(in: "/store")[name])
      for offset in stride(from: 64, to: bytes.count, by: 3) {
        let fileSystem = whole.pristineCopy()
        fileSystem.flipBit(offset % 8, of: name, in: "/store", at: offset)
        _ = try LogSalvage.salvage("/store", to: "/saved", fileSystem: fileSystem)
        store = try Self.open(fileSystem, "/saved")
        if !store.reader.catalog.undescribed.isEmpty { problems.append("\(name) \(offset)") }
        try store.close()
      }
    }
    #expect(problems.isEmpty, "\(problems.prefix(5))")
  }

  @Test("R37: after a salvage that lost something look-ups do without indexes until they are built")
  func indexes() throws {
    let whole = SimulatedFileSystem()
    func open(_ fileSystem: SimulatedFileSystem, _ path: String) throws -> Store {
      try Store.open(
        at: path, models: [ChangeWatchTests.Tag.self], evolution: .additive, configuration: .quiet,
        fileSystem: fileSystem)
    }
    var store = try open(whole, "/store")
    let tags = (0..<10).map { ChangeWatchTests.Tag(name: "\($0)", weight: 7) }
    try store.write { try $0.put(contentsOf: tags) }
    // The keys of the index stay in the first commit.
    try store.write { try $0.put(contentsOf: tags) }
    try store.close()
    let name = "segment-00000001.log"
    let bytes = try #require(whole.snapshotOfFiles(in: "/store")[name])
    var losses = 0
    for offset in stride(from: 64, to: bytes.count, by: 29) {
      let fileSystem = whole.pristineCopy()
      fileSystem.flipBit(0, of: name, in: "/store", at: offset)
      let report = try LogSalvage.salvage("/store", to: "/saved", fileSystem: fileSystem)
      losses += report.losses.isEmpty ? 0 : 1
      for _ in 0..<3 {
        store = try open(fileSystem, "/saved")
        let walked = try store.snapshot().count(ChangeWatchTests.Tag.self)
        let found = try store.snapshot().objects(
          ChangeWatchTests.Tag.self, where: "weight", equals: 7
        ).count()
        #expect(found == walked, "\(offset)")
        try store.buildIndexes()
        try store.close()
      }
      store = try open(fileSystem, "/saved")
      #expect(store.incompleteIndexes == [])
      try store.close()
    }
    #expect(losses > 5)
  }

  @Test("Objects whose description is lost keep their collection: no other type gets it")
  func lostDescription() throws {
    let fileSystem = InMemoryFileSystem()
    var store = try Self.open(fileSystem)
    try Self.put("Customer", 1, store)
    try store.close()
    // As after a salvage that found neither the description nor its copy.
    let log = try Log.open(at: "/store", fileSystem: fileSystem)
    try log.put([7], in: CollectionIdentifier(2), schemaVersion: 0, payload: [1, 2, 3])
    try log.put([7], in: CollectionIdentifier(9), schemaVersion: 0, payload: [1, 2, 3])
    try log.close()
    let events = Lock<[StoreEvent]>([])
    var configuration = StoreConfiguration.quiet
    configuration.log.observer = EventCollector(events)
    store = try Store.open(
      at: "/store", history: Self.history, configuration: configuration, fileSystem: fileSystem)
    #expect(
      events.withLock { $0 }.contains(.undescribed(collectionCount: 2, recordCount: 2)))
    try Self.put("Order", 1, store)
    try Self.put("Invoice", 1, store)
    #expect(try Self.objects(store) == 3)
    #expect(store.reader.catalog.collections.values.map(\.rawValue).sorted() == [1, 10, 11])
    try store.close()
  }

  final class EventCollector: StoreObserver {
    private let events: Lock<[StoreEvent]>
    init(_ events: Lock<[StoreEvent]>) { self.events = events }
    func observe(_ event: StoreEvent) { events.withLock { $0.append(event) } }
  }
}
