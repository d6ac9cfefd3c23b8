import FileIO
import StorageTestSupport
import Testing

@testable import ObjectStore

/// Look-ups by the member that is the primary key, which is in no index and needs none.
@Suite("Look-ups by the primary key read the objects whose keys are asked for (R37)")
struct PrimaryKeyLookupTests {
  static let types: [(name: String, key: FieldType)] = [
    ("Small", .int32), ("Large", .int64), ("Text", .string), ("Bytes", .data), ("Unique", .uuid),
  ]

  static let history = SchemaHistory(
    base: Base(0) {
      for (name, key) in types {
        Type(name, key: "id") {
          Field("id", key)
          Field("note", .string)
        }
      }
    }, versions: [])

  /// A value of a type, of few, so that bounds are keys now and then.
  static func value(_ type: FieldType, _ random: inout SeededGenerator) -> Value {
    let number = Int.random(in: 0..<40, using: &random)
    switch type {
    case .int32:
      return .int(
        [Int64(Int32.min), Int64(Int32.max)].randomElement(using: &random).map {
          number == 0 ? $0 : Int64(number - 20)
        } ?? 0)
    case .int64: return .int(number == 0 ? .min : number == 1 ? .max : Int64(number - 20))
    case .string:
      return .string(
        String(repeating: "é", count: number % 3) + "\(number)"
          + (number > 36 ? String(repeating: "x", count: 300) : ""))
    case .data: return .data([UInt8](repeating: 0xFF, count: number % 4) + [UInt8(number)])
    default: return .uuid(UniqueIdentifier(high: UInt64(number) << 59, low: UInt64(number)))
    }
  }

  static func selection(_ type: FieldType, _ random: inout SeededGenerator) -> MemberSelection {
    func bound(_ random: inout SeededGenerator) -> KeySelection.Bound {
      let value = value(type, &random)
      switch Int.random(in: 0..<3, using: &random) {
      case 0: return .unbounded
      case 1: return .including(value)
      default: return .excluding(value)
      }
    }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return .equal(to: value(type, &random))
    case 1: return .equal(to: type == .string ? "" : type == .data ? .data([]) : .null)
    case 2 where type == .string:
      return .prefix(["", "1", "é", "éé3"].randomElement(using: &random) ?? "")
    default:
      let lower = bound(&random)
      return .between(lower, bound(&random))
    }
  }

  @Test("They find what judging every object finds, in the same order", arguments: types.indices)
  func model(index: Int) throws {
    let (name, key) = Self.types[index]
    let store = try Store.open(
      at: "/s", models: [], history: Self.history, configuration: .quiet,
      fileSystem: InMemoryFileSystem())
    var random = SeededGenerator(seed: UInt64(index) + 1)
    try store.write { transaction in
      for _ in 0..<25 {
        try transaction.put([Self.value(key, &random), "n"], ofType: name)
      }
    }
    let snapshot = store.snapshot()
    var all: [Value] = []
    let cursor = try snapshot.objects(ofType: name)
    while let object = try cursor.next() { all.append(object.key) }
    var foundCount = 0
    for _ in 0..<400 {
      let selection = Self.selection(key, &random)
      let expected = all.filter(selection.contains).sorted {
        selection.place(of: $0).lexicographicallyPrecedes(selection.place(of: $1))
      }
      for order in [KeyOrder.ascending, .descending] {
        let walk = try snapshot.objects(
          ofType: name, where: "id", selecting: selection, order: order)
        var found: [Value] = []
        while let object = try walk.next() { found.append(object.key) }
        foundCount += found.count
        #expect(found == (order == .ascending ? expected : expected.reversed()), "\(selection)")
      }
    }
    #expect(foundCount > 1000)
    try store.close()
  }

  @Test(
    "P13: objects with other keys are not read, so their damage is not met",
    arguments: [false, true], DamagedObjectTests.Harm.allCases)
  func damage(isIndexed: Bool, harm: DamagedObjectTests.Harm) throws {
    let store = try DamagedObjectTests.makeStore(isIndexed: isIndexed, harm)
    var found = try DamagedObjectTests.find(store, "id", .equal(to: 3))
    #expect(found == ([3], 0))
    found = try DamagedObjectTests.find(store, "id", .between(.excluding(2)))
    #expect(found == ([3, 4], 0))
    found = try DamagedObjectTests.find(store, "id", .between(.including(1), .including(3)))
    #expect(found == ([1, 3], 1))
    try store.write { transaction in
      let walk = try transaction.objects(
        DamagedObjectTests.Note.self, where: "id", selecting: .equal(to: 4))
      #expect(try DamagedObjectTests.all(walk) == ([4], 0))
    }
    try store.close()
  }
}
