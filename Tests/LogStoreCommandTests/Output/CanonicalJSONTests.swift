import SchemaRegistry
import Testing

@testable import LogStoreCommands

@Suite("Equal values give equal bytes")
struct CanonicalJSONTests {
  private func text(_ value: Value) -> String {
    var writer = JSONWriter()
    CanonicalJSON.append(value, to: &writer)
    return writer.text
  }

  @Test(
    "Each kind of value",
    arguments: [
      (.null, "null"), (.bool(true), "true"), (.int(.min), "-9223372036854775808"),
      (.float(0.1), "0.1"), (.float(.infinity), "\"Infinity\""), (.double(1), "1.0"),
      (.double(.nan), "\"NaN\""), (.string("a\"é"), "\"a\\\"é\""),
      (.data([0xFF, 0x00]), "\"/wA=\""), (.date(1.25), "\"2001-01-01T00:00:01.250Z\""),
      (.date(1e300), "1e+300"), (.date(.nan), "\"NaN\""),
      (
        .uuid(UniqueIdentifier(high: 1, low: 0xAB)),
        "\"00000000-0000-0001-0000-0000000000ab\""
      ),
      (.list([]), "[]"), (.list([.int(1), .null]), "[1,null]"), (.object([:]), "{}"),
    ] as [(Value, String)])
  func kinds(value: Value, json: String) {
    #expect(text(value) == json)
  }

  @Test("Names are sorted by their bytes, at every depth")
  func order() {
    let names = ["b", "a", "Z", "é", "e\u{301}x", "aa", ""]
    let inner = Value.dictionary(
      Dictionary(uniqueKeysWithValues: names.map { ($0, .bool(true)) }))
    #expect(
      text(.object(["y": inner, "x": .int(1)]))
        == "{\"x\":1,\"y\":{\"\":true,\"Z\":true,\"a\":true,\"aa\":true,\"b\":true,"
        + "\"e\u{301}x\":true,\"é\":true}}")
  }

  @Test("What is written reads back as the same value of its type")
  func roundTrip() throws {
    let members = try FieldType(
      parsing: "(a: float, b: double?, c: data, d: date, e: uuid, f: {string: [int32]}, g: string)")
    let value = Value.object([
      "a": .float(1 / 3), "b": .double(-.infinity), "c": .data([1, 2]), "d": .date(12.375),
      "e": .uuid(UniqueIdentifier(high: 5, low: 6)), "f": .dictionary(["k": .list([.int(-1)])]),
      "g": .string("\u{0}\u{1F600}"),
    ])
    let conversion = ValueConversion(line: 1, member: "m", readsText: false)
    let read = try conversion.value(json(text(value)), as: members)
    #expect(read == value)
    #expect(text(read) == text(value))
  }

  @Test("A float reads back as itself where its fewest digits, by way of a double, are another's")
  func doubleRounding() throws {
    let conversion = ValueConversion(line: 1, member: "m", readsText: false)
    for bits: UInt32 in [0x15AE_43FD, 0x95AE_43FD] {
      let value = Float(bitPattern: bits)
      try #require(Double(value.description).map { Float($0) } != value)
      let read = try conversion.value(json(text(.float(value))), as: .float)
      #expect(read == .float(value))
    }
  }

  @Test("Values of import files follow the same rules")
  func importValues() throws {
    var writer = JSONWriter()
    CanonicalJSON.append(try json(#"{"b":[1,2.0,null,true],"a":{"d":"x","c":{}}}"#), to: &writer)
    #expect(writer.text == #"{"a":{"c":{},"d":"x"},"b":[1,2.0,null,true]}"#)
  }
}
