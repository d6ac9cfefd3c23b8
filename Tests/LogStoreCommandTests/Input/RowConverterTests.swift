import SchemaRegistry
import Testing

@testable import LogStoreCommands

@Suite("Rows become values of a type, exactly or not at all")
struct RowConverterTests {
  private func convert(
    _ json: String, as type: String, format: ImportFormat = .jsonLines
  ) throws -> Value {
    var conversion = ValueConversion(line: 7, member: "m", readsText: format != .jsonLines)
    conversion.line = 7
    let value = try LogStoreCommandTests.json(json)
    return try conversion.value(value, as: FieldType(parsing: type))
  }

  @Test(
    "Values that fit are taken",
    arguments: [
      ("true", "bool", .bool(true)), ("5", "int32", .int(5)), ("5.0", "int64", .int(5)),
      ("9007199254740993.0", "int64", .int(9_007_199_254_740_993)),
      ("-90071992547409930e-1", "int64", .int(-9_007_199_254_740_993)),
      ("1e18", "int64", .int(1_000_000_000_000_000_000)), ("-0.0", "int64", .int(0)),
      ("-0", "int64", .int(0)), ("0e9", "int32", .int(0)),
      ("-9223372036854775808.0", "int64", .int(.min)), ("120.0e-1", "int32", .int(12)),
      ("5", "double", .double(5)), ("0.1", "float", .float(0.1)),
      ("1e300", "double", .double(1e300)),
      ("\"NaN\"", "double", .double(.nan)), ("\"-Infinity\"", "float", .float(-.infinity)),
      ("\"x\"", "string", .string("x")), ("\"Zm9v\"", "data", .data(Array("foo".utf8))),
      ("\"2001-01-01T00:00:01.500Z\"", "date", .date(1.5)), ("-2.5", "date", .date(-2.5)),
      (
        "\"00000000-0000-0001-0000-0000000000FF\"", "uuid",
        .uuid(UniqueIdentifier(high: 1, low: 255))
      ),
      ("null", "int64?", .null), ("1", "int64?", .int(1)),
      ("[1,null]", "[int32?]", .list([.int(1), .null])),
      ("{\"a b\":1}", "{string: int64}", .dictionary(["a b": .int(1)])),
      ("{\"x\":1}", "(x: int64, y: bool?)", .object(["x": .int(1), "y": .null])),
    ] as [(String, String, Value)])
  func fitting(json: String, type: String, value: Value) throws {
    #expect(try convert(json, as: type) == value)
  }

  @Test(
    "Values that would change are refused, naming line, member and type",
    arguments: [
      ("2147483648", "int32", "an integer"), ("1.5", "int64", "a number"),
      ("4503599627370497.5", "int64", "a number"),
      ("0.99999999999999999999", "int64", "a number"), ("1e-400", "int64", "a number"),
      ("9223372036854775808.0", "int64", "a number"), ("1e19", "int64", "a number"),
      ("9007199254740993", "double", "an integer"), ("16777217", "float", "an integer"),
      ("1e300", "float", "a number"), ("1", "bool", "an integer"), ("\"1\"", "int64", "text"),
      ("1", "string", "an integer"), ("null", "string", "null"), ("\"Zg\"", "data", "text"),
      ("\"2001-02-30T00:00:00Z\"", "date", "text"), ("\"x\"", "uuid", "text"),
      ("{}", "[int64]", "an object"), ("[]", "{string: int64}", "a list"),
    ])
  func refused(json: String, type: String, found: String) {
    let error = ImportError.invalidValue(line: 7, member: "m", type: type, found: found)
    #expect(throws: error) { try convert(json, as: type) }
  }

  @Test(
    "Cells of CSV are read as the member's type",
    arguments: [
      ("5", "int64", .int(5)), ("-1.5", "double", .double(-1.5)), ("true", "bool", .bool(true)),
      ("", "int64?", .null), ("", "string?", .string("")), ("", "data?", .null),
      ("", "data", .data([])), ("5", "string", .string("5")),
    ] as [(String, String, Value)])
  func cells(cell: String, type: String, value: Value) throws {
    #expect(try convert("\"\(cell)\"", as: type, format: .commaSeparated) == value)
  }

  private func cell(_ text: String, as type: String) throws -> Value {
    let conversion = ValueConversion(line: 7, member: "m", readsText: true)
    return try conversion.value(.text(text), as: FieldType(parsing: type))
  }

  @Test(
    "Cells of CSV are read as JSON for lists, dictionaries and objects (decision 2)",
    arguments: [
      (" [1, 2] ", "[int64]", .list([1, 2])), ("[]", "[string]", .list([])),
      ("[[1],[]]", "[[int32]]?", .list([.list([1]), .list([])])), ("", "[int64]?", .null),
      (" null ", "[int64]?", .null), ("null", "{string: int64}?", .null),
      ("null", "(x: int64)?", .null), ("null", "string?", "null"),
      (#"["5",""]"#, "[string]", .list(["5", ""])),
      (#"{"a":1.5}"#, "{string: double}", .dictionary(["a": 1.5])),
      (#"{"x":1}"#, "(x: int64, y: bool?)", .object(["x": 1, "y": .null])),
    ] as [(String, String, Value)])
  func structures(text: String, type: String, value: Value) throws {
    #expect(try cell(text, as: type) == value)
  }

  @Test(
    "Cells that are no such JSON are refused, naming line and member",
    arguments: [
      ("[1,", "[int64]", #"line 7 has a value in the member "m""#, "byte 4"),
      ("", "[int64]", #"line 7 has a value in the member "m""#, "byte 1"),
      ("5", "[int64]", #"line 7 has an integer in the member "m""#, "[int64]"),
      ("null", "[int64]", #"line 7 has null in the member "m""#, "[int64]"),
      (#"["1"]"#, "[int64]", #"line 7 has text in the member "m[]""#, "int64"),
      (#"{"y":1}"#, "(x: int64)", #"line 7 has a member "m.y""#, "lacks"),
      (String(repeating: "[", count: 10_000), "[int64]", "line 7", "nest deeper"),
    ])
  func refusedStructures(text: String, type: String, place: String, reason: String) throws {
    let error = #expect(throws: ImportError.self) { try cell(text, as: type) }
    let message = error?.description ?? ""
    #expect(message.contains(place) && message.contains(reason), "\(message)")
  }

  @Test(
    "Cells of CSV are refused where the same number of JSON is",
    arguments: [
      ("16777217", "float"), ("9007199254740993", "double"), ("4503599627370497.5", "int64"),
      ("1e300", "float"),
    ])
  func refusedNumbers(cell: String, type: String) {
    #expect(throws: ImportError.self) { try convert(cell, as: type) }
    #expect(
      throws: ImportError.invalidValue(line: 7, member: "m", type: type, found: "text")
    ) { try convert("\"\(cell)\"", as: type, format: .commaSeparated) }
  }

  @Test("Digits that would be lost refuse a cell", arguments: ["", "007", "x", "1 2", "1.5"])
  func refusedCells(cell: String) {
    #expect(
      throws: ImportError.invalidValue(line: 7, member: "m", type: "int64", found: "text")
    ) { try convert("\"\(cell)\"", as: "int64", format: .commaSeparated) }
  }

  @Test("A long name around many values costs nothing for each of them")
  func longNames() throws {
    let count = 200_000
    let conversion = ValueConversion(
      line: 7, member: String(repeating: "m", count: 4 << 20), readsText: false)
    let list = ImportValue.list([ImportValue](repeating: .integer(1), count: count))
    guard case .list(let elements) = try conversion.value(list, as: .list(.int64)) else {
      Issue.record("not a list")
      return
    }
    #expect(elements.count == count)
    let object = ImportValue.object((0..<count).map { ImportMember("k\($0)", .integer(1)) })
    guard case .dictionary(let values) = try conversion.value(object, as: .dictionary(.int64))
    else {
      Issue.record("not a dictionary")
      return
    }
    #expect(values.count == count)
  }

  @Test("Errors lead to the place inside lists, dictionaries and embedded objects")
  func places() {
    #expect(
      throws: ImportError.invalidValue(
        line: 7, member: "m[].a.k", type: "bool", found: "an integer")
    ) { try convert("[{\"a\":{\"k\":1}}]", as: "[(a: {string: bool})]") }
    #expect(throws: ImportError.unknownMember(line: 7, member: "m.z")) {
      try convert("{\"z\":1}", as: "(a: int64?)")
    }
    #expect(throws: ImportError.missingMember(line: 7, member: "m.a")) {
      try convert("{}", as: "(a: int64)")
    }
  }

  @Test("A row gives one value for each member, in the order of the shape")
  func row() throws {
    let shape = try TypeShape(
      name: "Thing", identity: TypeIdentity(introducedIn: 0, originalName: "Thing"),
      keyMember: "id",
      members: [
        MemberShape("id", .string), MemberShape("size", .int64),
        MemberShape("note", .optional(.string)),
      ])
    let converter = RowConverter(shape: shape, format: .jsonLines)
    func values(_ text: String) throws -> [Value] {
      try converter.values(of: rows(.jsonLines, text)[0])
    }
    #expect(try values("{\"size\":3,\"id\":\"a\"}") == [.string("a"), .int(3), .null])
    #expect(throws: ImportError.missingMember(line: 1, member: "size")) {
      try values("{\"id\":\"a\"}")
    }
    #expect(throws: ImportError.unknownMember(line: 1, member: "color")) {
      try values("{\"id\":\"a\",\"size\":3,\"color\":1}")
    }
  }
}
