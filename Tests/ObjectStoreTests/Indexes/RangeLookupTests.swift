import FileIO
import Foundation
import ObjectStore
import Testing

@Suite("Ranges of members select what Swift's ranges contain")
struct RangeLookupTests {
  enum Level: Int, OrderedStorableValue, Comparable {
    case low = -2
    case middle = 0
    case high = 300
    static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
  }

  struct Length: RawRepresentable, OrderedStorableValue, Comparable {
    var rawValue = 0.0
    static func < (left: Length, right: Length) -> Bool { left.rawValue < right.rawValue }
    // Those that Swift derives from `<` say that each range contains what is not a number.
    static func <= (left: Length, right: Length) -> Bool { left.rawValue <= right.rawValue }
    static func >= (left: Length, right: Length) -> Bool { left.rawValue >= right.rawValue }
  }

  /// Its order is not that of its raw values.
  enum Mood: String, StorableValue, Comparable {
    case calm, angry
    static func < (left: Mood, right: Mood) -> Bool { left == .calm && right == .angry }
  }

  struct Measure: StorableObject {
    static let primaryKey = "id"
    static let indexes = [
      IndexDeclaration("tiny"), IndexDeclaration("small"), IndexDeclaration("wide"),
      IndexDeclaration("number"), IndexDeclaration("single"), IndexDeclaration("double"),
      IndexDeclaration("text"),
    ]
    var id = 0
    var tiny: Int8 = 0
    var small: UInt8 = 0
    var wide: UInt32 = 0
    var number = 0
    var single: Float = 0
    var double = 0.0
    var date = Date(timeIntervalSinceReferenceDate: 0)
    var text = ""
    var code = UUID(UniqueIdentifier(high: 0, low: 0))
    var level = Level.low
    var length = Length()
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("tiny", &tiny)
      try visitor.member("small", &small)
      try visitor.member("wide", &wide)
      try visitor.member("number", &number)
      try visitor.member("single", &single)
      try visitor.member("double", &double)
      try visitor.member("date", &date)
      try visitor.member("text", &text)
      try visitor.member("code", &code)
      try visitor.member("level", &level)
      try visitor.member("length", &length)
    }
  }

  static let doubles: [Double] = [
    -.infinity, -1.5, -.leastNonzeroMagnitude, -0.0, 0.0, 2, .greatestFiniteMagnitude, .infinity,
    .nan, -.nan,
  ]
  static let codes = [0, 1, 1 << 63, UInt64.max].map { UUID(UniqueIdentifier(high: $0, low: 7)) }
  static let texts = ["", "a", "a\0", "ab", "b", "é", "😀"]

  static let measures = (0..<20).map { id in
    Measure(
      id: id, tiny: [.min, -1, 0, 1, .max][id % 5], small: [0, 1, 128, .max][id % 4],
      wide: [0, 1, 1 << 31, .max][id % 4], number: [.min, -1, 0, 1, .max][id % 5],
      single: Float(doubles[id % 10]), double: doubles[id % 10],
      date: Date(timeIntervalSinceReferenceDate: doubles[id % 8]), text: texts[id % 7],
      code: codes[id % 4], level: [.low, .middle, .high][id % 3],
      length: Length(rawValue: doubles[id % 10]))
  }

  static func makeStore() throws -> Store {
    let store = try Store.open(
      at: "/store", models: [Measure.self], evolution: .additive, configuration: .quiet,
      fileSystem: InMemoryFileSystem())
    try store.write { try $0.put(contentsOf: measures) }
    return store
  }

  static func compare<Member, Range: RangeExpression<Member> & ValueRangeExpression<Member>>(
    _ snapshot: StoreSnapshot, _ member: String, _ path: KeyPath<Measure, Member>, _ range: Range
  ) throws {
    let cursor = try snapshot.objects(Measure.self, where: member, in: range)
    var found: [Int] = []
    while let measure = try cursor.next() { found.append(measure.id) }
    let expected = measures.filter { range.contains($0[keyPath: path]) }.map(\.id)
    #expect(found.sorted() == expected, "\(member) in \(range)")
  }

  /// Compares all ranges with these bounds, those that are no numbers left out.
  static func check<Member: OrderedStorableValue & Comparable>(
    _ store: Store, _ member: String, _ path: KeyPath<Measure, Member>
  ) throws {
    let snapshot = store.snapshot()
    let bounds = measures.map { $0[keyPath: path] }.filter { $0 == $0 }
    for lower in bounds {
      try compare(snapshot, member, path, lower...)
      try compare(snapshot, member, path, ..<lower)
      try compare(snapshot, member, path, ...lower)
      for upper in bounds where lower <= upper {
        try compare(snapshot, member, path, lower...upper)
        try compare(snapshot, member, path, lower..<upper)
      }
    }
  }

  @Test("Integers, numbers with infinities and what is no number, dates, texts, codes and cases")
  func everyType() throws {
    let store = try Self.makeStore()
    try Self.check(store, "tiny", \.tiny)
    try Self.check(store, "small", \.small)
    try Self.check(store, "wide", \.wide)
    try Self.check(store, "number", \.number)
    try Self.check(store, "single", \.single)
    try Self.check(store, "double", \.double)
    try Self.check(store, "date", \.date)
    try Self.check(store, "text", \.text)
    try Self.check(store, "code", \.code)
    try Self.check(store, "level", \.level)
    try Self.check(store, "length", \.length)
    // Swift's ranges contain what is no date, whatever their bounds are.
    let noDate = Date(timeIntervalSinceReferenceDate: .nan)
    try store.write { try $0.put(Measure(id: 20, date: noDate)) }
    let snapshot = store.snapshot()
    let later = try snapshot.objects(
      Measure.self, where: "date", in: Date(timeIntervalSinceReferenceDate: .infinity)...)
    while let measure = try later.next() { #expect(measure.id % 8 == 7) }
    #expect(try snapshot.objects(Measure.self, where: "date", equals: noDate).next()?.id == 20)
    try store.close()
  }

  @Test("Bounds may be integers that a member of fewer bits cannot hold; values may not")
  func widerBounds() throws {
    let store = try Self.makeStore()
    let snapshot = store.snapshot()
    let (below, above) = (Int(Int32.min) - 1, Int(Int32.max) + 1)
    func count(_ range: some ValueRangeExpression) throws -> Int {
      try snapshot.objects(Measure.self, where: "tiny", in: range).count()
    }
    #expect(try count(below...above) == 20)
    #expect(try count(0..<above) == 12)
    #expect(try count(below..<0) == 8)
    #expect(try count(Int.min...) == 20)
    #expect(try count(...Int.max) == 20)
    #expect(try count(above...) == 0)
    #expect(try count(...below) == 0)
    #expect(throws: StoreError.self) {
      _ = try snapshot.objects(Measure.self, where: "tiny", equals: above)
    }
    try store.close()
  }

  @Test("There are no ranges of values that are stored in another order than Swift's")
  func otherOrders() {
    func isOffered(_ range: Any) -> Bool { range is any ValueRangeExpression }
    #expect(isOffered(1...2) && isOffered(0.5...) && isOffered(Level.low...Level.high))
    #expect(!isOffered(Decimal(9)...Decimal(10)))
    #expect(!isOffered(UInt64(1)...UInt64.max))
    #expect(!isOffered(UInt(1)..<UInt.max))
    #expect(!isOffered(Mood.calm...Mood.angry))
  }

  @Test("Null is no bound; absent values are found by equality only")
  func nullBounds() throws {
    let (store, samples) = try IndexedValueTests.makeStore()
    let snapshot = store.snapshot()
    for selection: MemberSelection in [
      .between(.including(.null)), .between(.excluding(.null)),
      .between(.unbounded, .including(.null)),
      .between(.including(.null), .including(.string("b"))),
      .between(.unbounded, .excluding(.null)),
    ] {
      #expect {
        _ = try snapshot.objects(ofType: "Sample", where: "text", selecting: selection)
      } throws: { error in
        if case .invalidLookup("Sample", "text", _)? = error as? StoreError {
          true
        } else {
          false
        }
      }
    }
    try IndexedValueTests.check(
      store, "text", .equal(to: .null), samples.filter { $0.text == nil })
    try IndexedValueTests.check(store, "text", .between(), samples.filter { $0.text != nil })
    try store.close()
  }

  @Test("Texts that begin with the same 255 bytes come in the order of their keys")
  func longTexts() throws {
    let long = String(repeating: "x", count: 255)
    let store = try Self.makeStore()
    try store.write { transaction in
      for (id, end) in [(901, "c"), (902, ""), (903, "b"), (904, "a")] {
        try transaction.put(Measure(id: id, text: long + end))
      }
      try transaction.put(Measure(id: 905, text: String(long.dropLast())))
      try transaction.put(Measure(id: 900, text: String(long.dropLast()) + "y"))
    }
    func ids(_ selection: MemberSelection, _ order: KeyOrder = .ascending) throws -> [Int] {
      let cursor = try store.snapshot().objects(
        Measure.self, where: "text", selecting: selection, order: order)
      var ids: [Int] = []
      while let measure = try cursor.next() { ids.append(measure.id) }
      return ids
    }
    #expect(try ids(.prefix("x")) == [905, 901, 902, 903, 904, 900])
    #expect(try ids(.prefix("x"), .descending) == [900, 904, 903, 902, 901, 905])
    #expect(try ids(.between(.including(.string(long + "b")), .excluding("y"))) == [901, 903, 900])
    try store.close()
  }
}
