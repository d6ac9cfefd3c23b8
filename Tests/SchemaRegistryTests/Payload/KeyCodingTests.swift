import HistoryTestSupport
import SchemaRegistry
import StorageTestSupport
import Testing

@Suite("Key coding")
struct KeyCodingTests {
  @Test("The order of integer keys is the order of their bytes")
  func integerOrder() throws {
    let numbers: [Int64] = [.min, -1 << 40, -256, -1, 0, 1, 255, 256, 1 << 40, .max]
    let keys = try numbers.map { try KeyCoding.encode(.int($0), as: .int64) }
    for (left, right) in zip(keys, keys.dropFirst()) {
      #expect(left.lexicographicallyPrecedes(right))
    }
    #expect(keys.allSatisfy { $0.count == 8 })
  }

  @Test(
    "Keys of every type come back", arguments: [FieldType.int32, .int64, .string, .uuid, .data])
  func roundTrip(_ type: FieldType) throws {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<200 {
      let key = RandomSchemas.key(type, &random)
      #expect(try KeyCoding.decode(KeyCoding.encode(key, as: type), as: type) == key)
    }
  }

  @Test("Empty and overlong keys are refused")
  func limits() throws {
    #expect(throws: SchemaError.invalidKey(keyType: .string, reason: "the key is empty")) {
      try KeyCoding.encode(.string(""), as: .string)
    }
    #expect(throws: SchemaError.self) { try KeyCoding.encode(.data([]), as: .data) }
    #expect(throws: SchemaError.self) { try KeyCoding.decode([], as: .string) }
    let longest = [UInt8](repeating: 1, count: SchemaLimits.keyByteCount)
    #expect(try KeyCoding.encode(.data(longest), as: .data) == longest)
    #expect(throws: SchemaError.self) { try KeyCoding.encode(.data(longest + [1]), as: .data) }
  }

  @Test("A key of another kind, out of range or of a wrong length is refused")
  func misfit() throws {
    #expect(throws: SchemaError.self) { try KeyCoding.encode(.string("1"), as: .int64) }
    #expect(throws: SchemaError.self) { try KeyCoding.encode(.int(1 << 31), as: .int32) }
    #expect(throws: SchemaError.self) { try KeyCoding.encode(.double(1), as: .double) }
    let large = try KeyCoding.encode(.int(1 << 31), as: .int64)
    #expect(throws: SchemaError.self) { try KeyCoding.decode(large, as: .int32) }
    #expect(throws: SchemaError.self) { try KeyCoding.decode([1, 2, 3], as: .int64) }
    #expect(throws: SchemaError.self) { try KeyCoding.decode([1, 2, 3], as: .uuid) }
    #expect(throws: SchemaError.self) { try KeyCoding.decode([0xFF], as: .string) }
    #expect(throws: SchemaError.self) { try KeyCoding.decode([1], as: .bool) }
  }

  @Test("Keys for people are short")
  func text() {
    #expect(KeyCoding.text(of: .int(-3)) == "-3")
    #expect(KeyCoding.text(of: .data([0xAB, 1])) == "ab01")
    #expect(KeyCoding.text(of: .string(String(repeating: "x", count: 500))).count == 80)
  }

  @Test("Identifiers read and print the usual text")
  func identifiers() {
    let text = "00112233-4455-6677-8899-aabbccddeeff"
    let identifier = UniqueIdentifier(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF)
    #expect(identifier.description == text)
    #expect(UniqueIdentifier(parsing: text.uppercased()) == identifier)
    for wrong in ["", "0011", String(text.dropLast()), text + "0", "g" + text.dropFirst()] {
      #expect(UniqueIdentifier(parsing: wrong) == nil)
    }
  }
}
