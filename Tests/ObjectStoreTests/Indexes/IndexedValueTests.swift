import FileIO
import Foundation
import ObjectStore
import StorageTestSupport
import Testing

/// An object with a member of each type that can be looked up.
struct Sample: StorableObject, Equatable {
  static let primaryKey = "id"
  static let indexes: [IndexDeclaration] = [
    IndexDeclaration("flag"), IndexDeclaration("small"), IndexDeclaration("number"),
    IndexDeclaration("text"), IndexDeclaration("bytes"), IndexDeclaration("date"),
    IndexDeclaration("other"),
  ]
  var id = ""
  var flag = false
  var small: Int32?
  var number = 0.0
  var text: String?
  var bytes = Data()
  var date = Date(timeIntervalSinceReferenceDate: 0)
  var other = UUID(UniqueIdentifier(high: 0, low: 0))

  mutating func visitMembers<Visitor: MemberVisitor>(
    _ visitor: inout Visitor
  ) throws(StoreError) {
    try visitor.member("id", &id)
    try visitor.member("flag", &flag)
    try visitor.member("small", &small)
    try visitor.member("number", &number)
    try visitor.member("text", &text)
    try visitor.member("bytes", &bytes)
    try visitor.member("date", &date)
    try visitor.member("other", &other)
  }

  static let history = SchemaHistory {
    Base(0) {
      Type("Sample", key: "id") {
        Field("id", .string)
        Field("flag", .bool)
        Field("small", .optional(.int32))
        Field("number", .double)
        Field("text", .optional(.string))
        Field("bytes", .data)
        Field("date", .date)
        Field("other", .uuid)
      }
    }
  }
}

@Suite("Looking objects up by the value of a member of each type")
struct IndexedValueTests {
  static let long = String(repeating: "x", count: 300)
  static let texts: [String?] = [
    nil, "", "a", "a\0", "a\0b", "a\u{1}", "ab", "é", long, long + "a", long + "b",
  ]
  static let numbers: [Double] = [
    -.infinity, -1, -0.0, 0.0, .leastNonzeroMagnitude, 1, .greatestFiniteMagnitude, .infinity, .nan,
  ]

  static func makeStore() throws -> (store: Store, samples: [Sample]) {
    let store = try Store.open(
      at: "/store", models: [Sample.self], history: Sample.history,
      configuration: .quiet, fileSystem: InMemoryFileSystem())
    var generator = SeededGenerator(seed: 7)
    let samples = (0..<120).map { number in
      Sample(
        id: "\(number)\(number % 7 == 0 ? "\0x" : "")", flag: number % 3 == 0,
        small: [nil, .min, -1, 0, 1, .max].randomElement(using: &generator) ?? nil,
        number: numbers.randomElement(using: &generator) ?? 0,
        text: texts.randomElement(using: &generator) ?? nil,
        bytes: Data((texts.compactMap(\.self).randomElement(using: &generator) ?? "").utf8),
        date: Date(
          timeIntervalSinceReferenceDate: Double(Int.random(in: -3...3, using: &generator))),
        other: UUID(
          UniqueIdentifier(high: UInt64.random(in: 0...2, using: &generator) << 62, low: 0)))
    }
    try store.write { transaction in for sample in samples { try transaction.put(sample) } }
    return (store, samples)
  }

  static func all(_ cursor: MatchCursor<Sample>) throws -> [String] {
    var found: [String] = []
    while let sample = try cursor.next() { found.append(sample.id) }
    return found
  }

  static func check(
    _ store: Store, _ member: String, _ selection: MemberSelection, _ expected: [Sample]
  ) throws {
    let snapshot = store.snapshot()
    let found = try all(snapshot.objects(Sample.self, where: member, selecting: selection))
    #expect(found.sorted() == expected.map(\.id).sorted(), "\(member) \(selection)")
    let backwards = try all(
      snapshot.objects(Sample.self, where: member, selecting: selection, order: .descending))
    #expect(backwards == found.reversed())
  }

  @Test("Equality finds exactly the objects with that value")
  func equality() throws {
    let (store, samples) = try Self.makeStore()
    for text in Self.texts {
      try Self.check(
        store, "text", .equal(to: text.dynamicValue),
        samples.filter { $0.text.map { [UInt8]($0.utf8) } == text.map { [UInt8]($0.utf8) } })
    }
    for number in Self.numbers {
      try Self.check(
        store, "number", .equal(to: .double(number)),
        samples.filter { $0.number == number || $0.number.isNaN && number.isNaN })
    }
    for small in [nil, .min, -1, 0, 1, .max, 5] as [Int32?] {
      try Self.check(
        store, "small", .equal(to: small.dynamicValue), samples.filter { $0.small == small })
    }
    for sample in samples.prefix(20) {
      try Self.check(
        store, "flag", .equal(to: .bool(sample.flag)), samples.filter { $0.flag == sample.flag })
      try Self.check(
        store, "bytes", .equal(to: sample.bytes.dynamicValue),
        samples.filter { $0.bytes == sample.bytes })
      try Self.check(
        store, "date", .equal(to: sample.date.dynamicValue),
        samples.filter { $0.date == sample.date })
      try Self.check(
        store, "other", .equal(to: sample.other.dynamicValue),
        samples.filter { $0.other == sample.other })
    }
    try store.close()
  }

  @Test("Ranges and prefixes find exactly the objects within, never absent values")
  func ranges() throws {
    let (store, samples) = try Self.makeStore()
    func bytes(_ text: String) -> [UInt8] { [UInt8](text.utf8) }
    for lower in Self.texts.compactMap({ $0 }) {
      for upper in Self.texts.compactMap({ $0 }) {
        try Self.check(
          store, "text", .between(.excluding(.string(lower)), .including(.string(upper))),
          samples.filter {
            guard let text = $0.text.map(bytes) else { return false }
            return bytes(lower).lexicographicallyPrecedes(text)
              && !bytes(upper).lexicographicallyPrecedes(text)
          })
      }
      try Self.check(
        store, "text", .prefix(lower),
        samples.filter { $0.text.map { bytes($0).starts(with: bytes(lower)) } ?? false })
    }
    for lower in Self.numbers where !lower.isNaN {
      try Self.check(
        store, "number", .between(.including(.double(lower)), .excluding(.double(.infinity))),
        samples.filter { $0.number >= lower && $0.number < .infinity })
      try Self.check(
        store, "number", .between(.unbounded, .excluding(.double(lower))),
        samples.filter { $0.number < lower })
    }
    try Self.check(store, "small", .between(), samples.filter { $0.small != nil })
    let cursor = try store.snapshot().objects(Sample.self, where: "small", in: Int32(-1)...1)
    #expect(
      try Self.all(cursor).sorted()
        == samples.filter { $0.small.map { (-1...1).contains($0) } ?? false }.map(\.id).sorted())
    try store.close()
  }

  @Test("Wrong members and values are typed errors")
  func mistakes() throws {
    let (store, _) = try Self.makeStore()
    let snapshot = store.snapshot()
    #expect(throws: StoreError.self) {
      try snapshot.objects(Sample.self, where: "nothing", equals: 1)
    }
    #expect(throws: StoreError.self) { try snapshot.objects(Sample.self, where: "flag", equals: 1) }
    #expect(throws: StoreError.self) {
      try snapshot.objects(Sample.self, where: "small", equals: 1 << 40)
    }
    try store.close()
  }
}
