/// Reads one JSON text (RFC 8259), strictly and without losing a digit.
///
/// Stricter than the usual parsers where those lose data in silence: a member given twice, an
/// integer beyond 64 bits and a number beyond the range of a double are errors, and `1` is told
/// from `1.0`. Nesting is bounded, so hostile text cannot exhaust the stack; each level is a call.
/// Reasons and measurements: Documentation/Decisions.
struct JSONParser {
  /// How deep lists and objects may nest.
  var depthMaximum = ImportLimits.nestingDepthMaximum
  /// Whether an integer beyond 64 bits is a real, rounded as one with a fraction is.
  var roundsIntegers = false
  /// The offset of the next byte to look at; where a thrown problem lies.
  var offset = 0
  /// The bytes of a text with escapes, decoded.
  var decoded: [UInt8] = []

  /// Parses all of `text`; white space around the value is allowed. The value lies in `depth`
  /// others: 1 for that of a member.
  mutating func parse(_ text: Span<UInt8>, depth: Int = 0) throws(JSONProblem) -> ImportValue {
    offset = 0
    skipWhiteSpace(text)
    let value = try parseValue(text, depth: depth)
    skipWhiteSpace(text)
    guard offset == text.count else { throw .textAfterValue }
    return value
  }

  mutating func parseValue(
    _ text: Span<UInt8>, depth: Int
  ) throws(JSONProblem) -> ImportValue {
    guard offset < text.count else { throw .unexpectedEnd }
    switch text[offset] {
    case UInt8(ascii: "\""): return .text(try parseText(text))
    case UInt8(ascii: "{"): return .object(try parseMembers(text, depth: depth + 1))
    case UInt8(ascii: "["): return .list(try parseElements(text, depth: depth + 1))
    case UInt8(ascii: "t"):
      try expect("true", in: text)
      return .bool(true)
    case UInt8(ascii: "f"):
      try expect("false", in: text)
      return .bool(false)
    case UInt8(ascii: "n"):
      try expect("null", in: text)
      return .null
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try parseNumber(text)
    default: throw .unexpectedByte
    }
  }

  mutating func parseMembers(
    _ text: Span<UInt8>, depth: Int
  ) throws(JSONProblem) -> [ImportMember] {
    try checkDepth(depth)
    offset += 1
    var members: [ImportMember] = []
    var names = DistinctNames()
    skipWhiteSpace(text)
    if skip(UInt8(ascii: "}"), in: text) { return members }
    while true {
      skipWhiteSpace(text)
      guard offset < text.count else { throw .unexpectedEnd }
      guard text[offset] == UInt8(ascii: "\"") else { throw .unexpectedByte }
      let name = try parseText(text)
      // Inside of objects there may be dictionaries, with as many keys as a line has room for.
      guard depth > 1 || members.count < ImportLimits.memberCountMaximum else {
        throw .tooManyMembers(limit: ImportLimits.memberCountMaximum)
      }
      guard names.insert(name, among: members) else { throw .duplicateMember(name: name) }
      skipWhiteSpace(text)
      try require(UInt8(ascii: ":"), in: text)
      skipWhiteSpace(text)
      members.append(ImportMember(name, try parseValue(text, depth: depth)))
      skipWhiteSpace(text)
      if skip(UInt8(ascii: "}"), in: text) { return members }
      try require(UInt8(ascii: ","), in: text)
    }
  }

  mutating func parseElements(
    _ text: Span<UInt8>, depth: Int
  ) throws(JSONProblem) -> [ImportValue] {
    try checkDepth(depth)
    offset += 1
    var elements: [ImportValue] = []
    skipWhiteSpace(text)
    if skip(UInt8(ascii: "]"), in: text) { return elements }
    while true {
      skipWhiteSpace(text)
      elements.append(try parseValue(text, depth: depth))
      skipWhiteSpace(text)
      if skip(UInt8(ascii: "]"), in: text) { return elements }
      try require(UInt8(ascii: ","), in: text)
    }
  }

  func checkDepth(_ depth: Int) throws(JSONProblem) {
    guard depth <= depthMaximum else { throw .nestingTooDeep(limit: depthMaximum) }
  }

  mutating func skipWhiteSpace(_ text: Span<UInt8>) {
    while offset < text.count {
      switch text[offset] {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        offset += 1
      default: return
      }
    }
  }

  mutating func skip(_ byte: UInt8, in text: Span<UInt8>) -> Bool {
    guard offset < text.count, text[offset] == byte else { return false }
    offset += 1
    return true
  }

  mutating func require(_ byte: UInt8, in text: Span<UInt8>) throws(JSONProblem) {
    guard offset < text.count else { throw .unexpectedEnd }
    guard skip(byte, in: text) else { throw .unexpectedByte }
  }

  mutating func expect(_ word: StaticString, in text: Span<UInt8>) throws(JSONProblem) {
    for index in 0..<word.utf8CodeUnitCount {
      try require(word.utf8Start[index], in: text)
    }
  }
}
