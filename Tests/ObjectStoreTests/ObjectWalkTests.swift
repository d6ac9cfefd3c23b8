import FileIO
import ObjectStore
import Testing

/// Ranges, prefixes and seeks over typed and dynamic objects.
@Suite struct ObjectWalkTests {
  struct Reading: StorableObject {
    static let primaryKey = "time"
    var time = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("time", &time)
    }
  }

  struct City: StorableObject {
    static let primaryKey = "name"
    var name = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("name", &name)
    }
  }

  static let history = SchemaHistory {
    Base(0) {
      Type("Reading", key: "time") { Field("time", .int64) }
      Type("City", key: "name") { Field("name", .string) }
      Type("Small", key: "id") { Field("id", .int32) }
    }
  }
  static let times = [Int.min, -300, -2, -1, 0, 1, 7, 300, Int.max]
  static let names = ["B", "Ber", "Berlin", "Bern", "Bes", "Zürich", "Zürich Nord"]

  static func makeStore() throws -> Store {
    let store = try Store.open(
      at: "/store", models: [Reading.self, City.self], history: history,
      configuration: .quiet, fileSystem: InMemoryFileSystem())
    try store.write { transaction in
      for time in times.shuffled() { try transaction.put(Reading(time: time)) }
      for name in names.shuffled() { try transaction.put(City(name: name)) }
      for id in [1, 2, 3] {
        try transaction.put(try transaction.makeObject(ofType: "Small", ["id": .int(Int64(id))]))
      }
    }
    return store
  }

  static func times(_ cursor: ObjectCursor<Reading>) throws -> [Int] {
    var found: [Int] = []
    while let next = try cursor.next() { found.append(next.time) }
    return found
  }

  static func names(_ cursor: ObjectCursor<City>) throws -> [String] {
    var found: [String] = []
    while let next = try cursor.next() { found.append(next.name) }
    return found
  }

  @Test("A page begins behind a key, whether an object has it or not, in both orders")
  func pages() throws {
    let snapshot = try Self.makeStore().snapshot()
    for key in Self.times + [-5, 2, 299] {
      let up = try Self.times(try snapshot.objects(Reading.self, after: key))
      #expect(up == Self.times.filter { $0 > key })
      let down = try Self.times(
        try snapshot.objects(Reading.self, after: key, order: .descending))
      #expect(down == Self.times.reversed().filter { $0 < key })
    }
    for order in [KeyOrder.ascending, .descending] {
      var found: [String] = []
      while true {
        let walk = try snapshot.objects(City.self, after: found.last, order: order)
        guard let next = try walk.next() else { break }
        found.append(next.name)
      }
      #expect(found == (order == .ascending ? Self.names : Self.names.reversed()))
    }
  }

  @Test("Every range of integers selects what Swift's own would")
  func integerRanges() throws {
    let snapshot = try Self.makeStore().snapshot()
    func expect(
      _ range: some KeyRangeExpression<Int>, _ contains: (Int) -> Bool
    ) throws {
      let up = try Self.times(try snapshot.objects(Reading.self, in: range))
      let down = try Self.times(
        try snapshot.objects(Reading.self, in: range, order: .descending))
      let expected = Self.times.filter(contains)
      if up != expected || down != expected.reversed() { Issue.record("\(range): \(up)") }
    }
    for lower in Self.times {
      try expect(lower...) { $0 >= lower }
      try expect(..<lower) { $0 < lower }
      try expect(...lower) { $0 <= lower }
      for upper in Self.times where upper >= lower {
        try expect(lower..<upper) { (lower..<upper).contains($0) }
        try expect(lower...upper) { (lower...upper).contains($0) }
      }
    }
    #expect(try Self.times(try snapshot.objects(Reading.self)) == Self.times)
  }

  /// Its order is not that of its raw values.
  private enum Mood: String, StorableKey, Comparable {
    case calm, angry
    static func < (left: Mood, right: Mood) -> Bool { left == .calm && right == .angry }
  }

  private enum Level: Int, StorableKey, OrderedStorableValue, Comparable {
    case low = -2
    case high = 300
    static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
  }

  @Test("There are no ranges of keys that are stored in another order than Swift's")
  func otherOrders() {
    func isOffered(_ range: Any) -> Bool { range is any KeyRangeExpression }
    let level = Level.low
    #expect(isOffered(level...) && isOffered(level...level) && isOffered(level..<level))
    #expect(
      isOffered(..<level) && isOffered(...level) && isOffered(UInt8(1)...) && isOffered("a"...))
    let mood = Mood.calm
    #expect(!isOffered(mood...) && !isOffered(mood...mood) && !isOffered(mood..<mood))
    #expect(!isOffered(..<mood) && !isOffered(...mood))
  }

  @Test("A prefix of a string key selects the keys that start with it")
  func prefixes() throws {
    let snapshot = try Self.makeStore().snapshot()
    for prefix in ["", "B", "Ber", "Berlin", "Z", "Zürich", "Zürich Nord", "X", "Berlin "] {
      let expected = Self.names.filter { $0.hasPrefix(prefix) }
      #expect(
        try Self.names(try snapshot.objects(City.self, prefix: prefix)) == expected,
        "prefix \(prefix)")
      #expect(
        try Self.names(try snapshot.objects(City.self, prefix: prefix, order: .descending))
          == expected.reversed(), "prefix \(prefix)")
    }
    #expect(try Self.names(try snapshot.objects(City.self, in: "Ber"..<"Bes")).count == 3)
    #expect(try Self.names(try snapshot.objects(City.self, in: ""..."Ber")) == ["B", "Ber"])
  }

  @Test("A seek goes forwards and backwards, and a transaction walks what it changed")
  func seeksInATransaction() throws {
    let store = try Self.makeStore()
    try store.write { transaction in
      try transaction.put(Reading(time: 5))
      try transaction.delete(Reading.self, 7)
      let cursor = try transaction.objects(Reading.self, in: -2...300, order: .descending)
      try cursor.seek(to: 6)
      #expect(try cursor.next()?.time == 5)
      #expect(try cursor.next()?.time == 1)
      try cursor.seek(to: 1000)
      #expect(try cursor.next()?.time == 300)
      #expect(try Self.times(cursor) == [5, 1, 0, -1, -2])
    }
  }

  @Test("Types known by name are walked in the same way, and bounds need not be possible keys")
  func dynamicObjects() throws {
    let snapshot = try Self.makeStore().snapshot()
    func ids(_ keys: KeySelection, _ order: KeyOrder) throws -> [Value] {
      let cursor = try snapshot.objects(ofType: "Small", selecting: keys, order: order)
      var found: [Value] = []
      while let next = try cursor.next() { found.append(next.key) }
      return found
    }
    #expect(try ids(.all, .descending) == [.int(3), .int(2), .int(1)])
    #expect(
      try ids(KeySelection(from: .excluding(.int(1)), to: .including(.int(1 << 40))), .ascending)
        == [.int(2), .int(3)])
    let crossed = KeySelection(from: .including(.int(3)), to: .excluding(.int(1)))
    #expect(try ids(crossed, .ascending).isEmpty)
    let cursor = try snapshot.objects(ofType: "Small")
    try cursor.seek(to: .int(2))
    #expect(try cursor.next()?.key == .int(2))
  }

  @Test("A selection that does not fit the key's type is an error, not nothing")
  func selectionsOfAnotherType() throws {
    let snapshot = try Self.makeStore().snapshot()
    #expect(throws: StoreError.self) { _ = try snapshot.objects(Reading.self, prefix: "1") }
    #expect(throws: StoreError.self) { _ = try snapshot.objects(City.self, in: 1..<2) }
    let cursor = try snapshot.objects(City.self)
    #expect(throws: StoreError.self) { try cursor.seek(to: 3) }
  }
}
