import SchemaRegistry
import Testing

@testable import LogStoreCommands

@Suite("JSON is read strictly and without losing a digit")
struct JSONParserTests {
  @Test("Values of each kind are read")
  func kinds() throws {
    #expect(try json(" null ") == .null)
    #expect(try json("true") == .bool(true))
    #expect(try json("false") == .bool(false))
    #expect(
      try json("[1,[],{\"a\":{}}]\r\n")
        == .list([
          .integer(1), .list([]), .object([ImportMember("a", .object([]))]),
        ]))
    #expect(
      try json("{\"b\" : 1 , \"a\":\"x\"}")
        == .object([
          ImportMember("b", .integer(1)), ImportMember("a", .text("x")),
        ]))
  }

  @Test(
    "Integers are exact over all 64 bits",
    arguments: [0, 1, -1, 9_007_199_254_740_993, Int64.max, Int64.min])
  func integers(value: Int64) throws {
    #expect(try json("\(value)") == .integer(value))
  }

  @Test(
    "Reals read back the very double that was written",
    arguments: [0.1, 1.0, -2.5, 1e100, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1 / 3.0])
  func reals(value: Double) throws {
    #expect(try json(value.description).real == value)
  }

  @Test("A fraction or an exponent makes a real, and minus zero keeps its sign")
  func realsAndIntegers() throws {
    #expect(try json("1.5") == .real(1.5))
    #expect(try json("1.0") == .wholeReal(1, integer: 1))
    #expect(try json("1e2") == .wholeReal(100, integer: 100))
    #expect(try json("1E+2") == .wholeReal(100, integer: 100))
    #expect(try json("0") == .integer(0))
    #expect(try json("-0").real?.sign == .minus)
  }

  @Test(
    "Exponents beyond all bounds are zero or refused, in cells, too",
    arguments: ["-9223372036854775808", "-9223372036854775807", "9223372036854775807"])
  func exponents(exponent: String) throws {
    let conversion = ValueConversion(line: 1, member: "m", readsText: true)
    for digits in ["1.5", "1.25", "15", "0.05"] {
      let text = "\(digits)e\(exponent)"
      let cell = try? conversion.value(.text(text), as: .double)
      if exponent.hasPrefix("-") {
        #expect(try json(text).real == 0)
        #expect(cell == .double(0))
      } else {
        #expect(throws: JSONProblem.realOutOfRange) { try json(text) }
        #expect(cell == nil)
      }
    }
    #expect(try json("0.0e\(exponent)") == .wholeReal(0, integer: 0))
  }

  @Test("Escapes are decoded, pairs of surrogates joined")
  func escapes() throws {
    #expect(
      try json(#""\"\\\/\b\f\n\r\t\u0041\u00e9\uD83D\uDE00é""#)
        == .text("\"\\/\u{8}\u{C}\n\r\tA\u{E9}\u{1F600}\u{E9}"))
    #expect(try json("\"\\u0000\"") == .text("\0"))
  }

  @Test(
    "Malformed text is a problem of its own kind",
    arguments: [
      ("", JSONProblem.unexpectedEnd), ("{", .unexpectedEnd), ("[1,", .unexpectedEnd),
      ("\"abc", .unexpectedEnd), ("\"\\", .unexpectedEnd), ("\"\\u00", .unexpectedEnd),
      ("tru", .unexpectedEnd), ("[1,]", .unexpectedByte), ("{a:1}", .unexpectedByte),
      ("{\"a\" 1}", .unexpectedByte), ("{\"a\":1,}", .unexpectedByte), ("NaN", .unexpectedByte),
      ("Infinity", .unexpectedByte), ("'a'", .unexpectedByte), ("[1 2]", .unexpectedByte),
      ("trve", .unexpectedByte), ("1 2", .textAfterValue), ("{} x", .textAfterValue),
      ("01", .invalidNumber), ("-", .invalidNumber), ("-x", .invalidNumber),
      ("1.", .invalidNumber), ("1e", .invalidNumber), ("1e+", .invalidNumber),
      ("9223372036854775808", .integerOutOfRange), ("-9223372036854775809", .integerOutOfRange),
      ("1e400", .realOutOfRange), ("\"\\x\"", .invalidEscape), ("\"\\u00g0\"", .invalidEscape),
      ("\"\\ud800\"", .unpairedSurrogate), ("\"\\udc00\"", .unpairedSurrogate),
      ("\"\\ud800\\u0041\"", .unpairedSurrogate), ("\"a\tb\"", .controlCharacter),
      ("\"\\n\u{1}\"", .controlCharacter),
      ("{\"a\":1,\"a\":2}", .duplicateMember(name: "a")),
    ])
  func problems(text: String, problem: JSONProblem) {
    #expect(throws: problem) { try json(text) }
    #expect(!problem.description.isEmpty)
  }

  @Test("Invalid UTF-8 is found in plain and in escaped texts")
  func invalidUTF8() {
    for prefix in ["\"", "\"\\n"] {
      var parser = JSONParser()
      let bytes = Array(prefix.utf8) + [0xC3, UInt8(ascii: "\"")]
      #expect(throws: JSONProblem.invalidUTF8) { try parser.parse(bytes.span) }
    }
  }

  @Test("A duplicate is found among many members too")
  func manyMembers() throws {
    let members = (0..<100).map { "\"m\($0)\":\($0)" }.joined(separator: ",")
    guard case .object(let parsed) = try json("{\(members)}") else {
      Issue.record("not an object")
      return
    }
    #expect(parsed.count == 100)
    #expect(throws: JSONProblem.duplicateMember(name: "m3")) {
      try json("{\(members),\"m3\":0}")
    }
  }

  @Test("64 levels are read, more are refused instead of exhausting the stack")
  func depth() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    _ = try json(nested(64))
    #expect(throws: JSONProblem.nestingTooDeep(limit: 64)) { try json(nested(65)) }
    #expect(throws: JSONProblem.nestingTooDeep(limit: 64)) {
      try json(String(repeating: "[", count: 1_000_000))
    }
    #expect(throws: JSONProblem.nestingTooDeep(limit: 64)) {
      try json(String(repeating: "{\"a\":", count: 100))
    }
  }

  @Test("No text cut short or with one byte changed traps")
  func hostileBytes() throws {
    let text = Array(#"{"a":[1,-2.5e3,"x\u00e9\ud83d\ude00\n",true,null],"b":{"c":"é"}}"#.utf8)
    var parser = JSONParser()
    _ = try parser.parse(text.span)
    var readable = 0
    for index in text.indices {
      let prefix = Array(text[..<index])
      #expect(throws: JSONProblem.self) { try parser.parse(prefix.span) }
      for byte in [0x00, 0x22, 0x5C, 0x7B, 0x80, 0xFF, text[index] ^ 1] as [UInt8] {
        var changed = text
        changed[index] = byte
        if (try? parser.parse(changed.span)) != nil { readable += 1 }
      }
    }
    #expect(readable > 0)
  }
}
