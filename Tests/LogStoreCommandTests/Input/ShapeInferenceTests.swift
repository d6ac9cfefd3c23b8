import SchemaRegistry
import Testing

@testable import LogStoreCommands

@Suite("A shape is inferred from rows")
struct ShapeInferenceTests {
  private func shape(
    _ text: String, format: ImportFormat = .jsonLines, key: String = "id"
  ) throws(ImportError) -> String {
    var inference = ShapeInference()
    for row in try rows(format, text) { try inference.add(row) }
    let shape = try inference.typeShape(named: "Thing", key: key)
    return FieldType.object(shape.members).description
  }

  @Test("Each kind of value has its type, members keep the order of the rows")
  func kinds() throws {
    #expect(
      try shape(#"{"id":1,"b":true,"r":1.5,"t":"x","l":[1],"o":{"x":1,"y":"z"}}"#)
        == "(id: int64, b: bool, r: double, t: string, l: [int64], o: (x: int64, y: string))")
  }

  @Test("Members that are missing or null in any row are optional")
  func optional() throws {
    #expect(
      try shape("{\"id\":1,\"a\":1,\"b\":null}\n{\"id\":2,\"b\":\"x\",\"c\":[null,1]}\n")
        == "(id: int64, a: int64?, b: string?, c: [int64?]?)")
  }

  @Test("Integers among reals become doubles, in either order and inside lists")
  func widening() throws {
    #expect(
      try shape("{\"id\":\"a\",\"x\":1,\"y\":1.5}\n{\"id\":\"b\",\"x\":1.5,\"y\":1}\n")
        == "(id: string, x: double, y: double)")
    #expect(try shape(#"{"id":1,"l":[[1],[2.5]]}"#) == "(id: int64, l: [[double]])")
  }

  @Test("A long name around many values costs nothing for each of them")
  func longNames() throws {
    var inference = ShapeInference()
    let name = String(repeating: "m", count: 4 << 20)
    let list = ImportValue.list([ImportValue](repeating: .integer(1), count: 200_000))
    try inference.add(
      ImportRow(line: 1, members: [ImportMember("id", .integer(1)), ImportMember(name, list)]))
    #expect(inference.rowCount == 1)
    #expect(
      throws: ImportError.conflictingKinds(
        member: "\(name)[]", line: 1, kind: "an integer", otherLine: 2, otherKind: "text")
    ) {
      try inference.add(
        ImportRow(line: 2, members: [ImportMember(name, .list([.text("x")]))]))
    }
  }

  @Test("A dictionary may have more names in all rows than an object may have members")
  func manyNames() throws {
    var inference = ShapeInference()
    let count = ImportLimits.memberCountMaximum + 5000
    func add(_ number: Int, _ value: ImportValue) throws(ImportError) {
      let by = ImportValue.object([ImportMember("user\(number)", value)])
      try inference.add(
        ImportRow(
          line: number + 1,
          members: [
            ImportMember("id", .integer(Int64(number))),
            ImportMember("by", by),
          ]))
    }
    for number in 0..<count { try add(number, .integer(1)) }
    let shape = try inference.typeShape(named: "Thing", key: "id")
    #expect(FieldType.object(shape.members).description == "(id: int64, by: {string: int64})")
    #expect(throws: ImportError.self) { try add(count, .text("x")) }
    // The members of the type itself are none of a dictionary.
    var wide = ShapeInference()
    for number in 0..<ImportLimits.memberCountMaximum {
      let member = ImportMember("m\(number)", .integer(1))
      try wide.add(ImportRow(line: number + 1, members: [member]))
    }
    #expect(throws: ImportError.tooManyMembers(line: 9, limit: ImportLimits.memberCountMaximum)) {
      try wide.add(ImportRow(line: 9, members: [ImportMember("one", .integer(1))]))
    }
  }

  @Test("Names are bounded over all objects together, however they lie within others")
  func namesOfAllObjects() throws {
    var inference = ShapeInference(nameCountMaximum: 5)
    func add(_ text: String) throws {
      for row in try rows(.jsonLines, text) { try inference.add(row) }
    }
    // Three of the rows, and one each in what they hold.
    try add(#"{"id":1,"a":{"x":1},"b":[{"y":2}]}"#)
    try add(#"{"id":2,"a":{"x":3},"b":[{"y":4},{"y":5}]}"#)
    #expect(throws: ImportError.tooManyNames(line: 1, limit: 5)) {
      try add(#"{"id":3,"b":[{"y":6,"z":7}]}"#)
    }
  }

  @Test("So are the bytes of names, of which each counts once")
  func bytesOfAllNames() throws {
    var inference = ShapeInference(nameByteCountMaximum: 13)
    func add(_ text: String) throws {
      for row in try rows(.jsonLines, text) { try inference.add(row) }
    }
    // Two for the key, three for what holds the others, and eight of these.
    try add(#"{"id":1,"all":{"first":1}}"#)
    try add(#"{"id":2,"all":{"first":2,"\u00e9":3}}"#)
    try add(#"{"id":3,"all":{"first":3,"z":4}}"#)
    #expect(throws: ImportError.tooLongNames(line: 1, limit: 13)) {
      try add(#"{"id":4,"all":{"y":5}}"#)
    }
  }

  @Test("The names of a dictionary are forgotten where there are too many, and count no more")
  func forgottenNames() throws {
    let count = ImportLimits.memberCountMaximum
    let users = (0..<count).map { "user\($0)" }
    let byteCount = users.reduce(0) { $0 + $1.utf8.count }
    var inference = ShapeInference(
      nameCountMaximum: count + 3, nameByteCountMaximum: byteCount + "idby".utf8.count)
    func add(_ line: Int, _ names: [String], _ others: [ImportMember]) throws(ImportError) {
      let by = ImportValue.object(names.map { ImportMember($0, .integer(1)) })
      let members = [ImportMember("id", .integer(Int64(line))), ImportMember("by", by)]
      try inference.add(ImportRow(line: line, members: members + others))
    }
    try add(1, users, [])
    try add(2, ["another"], ["a", "b", "c"].map { ImportMember($0, .integer(1)) })
    let shape = try inference.typeShape(named: "Thing", key: "id")
    #expect(
      FieldType.object(shape.members).description
        == "(id: int64, by: {string: int64}, a: int64?, b: int64?, c: int64?)")
  }

  @Test("Where nothing but null or empty lists was seen, text is assumed")
  func unknown() throws {
    #expect(
      try shape(#"{"id":1,"n":null,"l":[],"o":{}}"#)
        == "(id: int64, n: string?, l: [string], o: {string: string})")
  }

  @Test("Objects with names that no member can have, or with very many, are dictionaries")
  func dictionaries() throws {
    #expect(
      try shape(#"{"id":1,"d":{"New York":1,"Rome":2.5}}"#) == "(id: int64, d: {string: double})")
    let many = (0..<65).map { "\"k\($0)\":[\($0)]" }.joined(separator: ",")
    #expect(try shape("{\"id\":1,\"d\":{\(many)}}") == "(id: int64, d: {string: [int64]})")
    let few = (0..<64).map { "\"k\($0)\":0" }.joined(separator: ",")
    #expect(try shape("{\"id\":1,\"d\":{\(few)}}").hasPrefix("(id: int64, d: (k0: int64, "))
  }

  @Test(
    "A mixture that no type covers names the member and both lines",
    arguments: [
      ("1", "\"x\"", "a", "an integer", "text"), ("true", "1", "a", "a boolean", "an integer"),
      ("1.5", "[]", "a", "a number", "a list"), ("{}", "[]", "a", "an object", "a list"),
      ("[1]", "[\"x\"]", "a[]", "an integer", "text"),
      ("{\"b\":1}", "{\"b\":{}}", "a.b", "an integer", "an object"),
    ])
  func conflicts(first: String, second: String, member: String, kind: String, other: String) {
    #expect(
      throws: ImportError.conflictingKinds(
        member: member, line: 2, kind: kind, otherLine: 3, otherKind: other)
    ) {
      try shape("{\"id\":0}\n{\"id\":1,\"a\":\(first)}\n{\"id\":2,\"a\":\(second)}")
    }
  }

  @Test(
    "An integer that a double would round has no type beside reals, in either order, inside lists",
    arguments: [
      ("9007199254740993", "1.5", "a", "an integer that a double would round", "a number"),
      ("1.5", "-9007199254740993", "a", "a number", "an integer that a double would round"),
      ("9223372036854775807", "1e3", "a", "an integer that a double would round", "a number"),
      ("[9007199254740993]", "[1.5]", "a[]", "an integer that a double would round", "a number"),
    ])
  func roundedIntegers(
    first: String, second: String, member: String, kind: String, other: String
  ) throws {
    // What is between fits to either.
    let between = first.hasPrefix("[") ? "[1]" : "1"
    #expect(
      throws: ImportError.conflictingKinds(
        member: member, line: 2, kind: kind, otherLine: 4, otherKind: other)
    ) {
      try shape(
        "{\"id\":0}\n{\"id\":1,\"a\":\(first)}\n{\"id\":2,\"a\":\(between)}\n"
          + "{\"id\":3,\"a\":\(second)}")
    }
    // Alone it has one, and so it has where it is written as a real.
    #expect(try shape(#"{"id":1,"a":9007199254740993,"b":1.5}"#).contains("a: int64, b: double"))
    #expect(try shape(#"{"id":1,"a":[9007199254740993.0,1.5]}"#).contains("a: [double]"))
    #expect(try shape(#"{"id":1,"a":[9007199254740992,1.5]}"#).contains("a: [double]"))
  }

  @Test("The line of a real is told, not that of an integer before it which fits to both")
  func lineOfReal() {
    #expect(
      throws: ImportError.conflictingKinds(
        member: "a", line: 2, kind: "a number", otherLine: 3,
        otherKind: "an integer that a double would round")
    ) {
      try shape("{\"id\":0,\"a\":1}\n{\"id\":1,\"a\":1.5}\n{\"id\":2,\"a\":9007199254740993}")
    }
  }

  @Test("Nor is there a dictionary of reals and an integer that a double would round")
  func roundedIntegersOfNames() throws {
    let reals = (1..<65).map { ",\"k\($0)\":0.5" }.joined()
    for (integer, type) in [("1", "{string: double}"), ("9007199254740993", "(k0: int64, k1: d")] {
      let text = try shape("{\"id\":1,\"d\":{\"k0\":\(integer)\(reals)}}")
      #expect(text.hasPrefix("(id: int64, d: \(type)"), "\(text)")
    }
  }

  @Test("Columns of CSV are text, whatever their cells look like")
  func columns() throws {
    #expect(
      try shape("id,size\n1,20\n2,\n", format: .commaSeparated) == "(id: string, size: string)")
  }

  @Test("A key must be in every row, as text or an integer")
  func keys() {
    #expect(throws: ImportError.unusableKey(member: "id", reason: "no row has it")) {
      try shape("{\"a\":1}")
    }
    #expect(throws: ImportError.unusableKey(member: "id", reason: "some rows lack it")) {
      try shape("{\"id\":1}\n{\"a\":1}")
    }
    #expect(
      throws: ImportError.unusableKey(
        member: "id", reason: "its type is double, not text or an integer")
    ) { try shape("{\"id\":1.5}") }
    #expect(throws: ImportError.noRows) { try shape("") }
  }

  @Test("A name that no member can have is an error of schemas")
  func invalidName() {
    #expect {
      try shape("id,unit price\n1,2\n", format: .commaSeparated)
    } throws: { error in
      guard case .unusableShape = error as? ImportError else { return false }
      return true
    }
  }
}
