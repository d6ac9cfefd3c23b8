/// Reads one field type from its text form by recursive descent; depth is limited.
struct FieldTypeParser {
  private let text: [UInt8]
  private let allowsEmptyObjects: Bool
  private var position = 0

  init(_ text: String, allowsEmptyObjects: Bool = false) {
    self.text = Array(text.utf8)
    self.allowsEmptyObjects = allowsEmptyObjects
  }

  mutating func parse() throws(SchemaError) -> FieldType {
    let type = try parseType(depth: 1)
    skipSpaces()
    guard position == text.count else { throw failure("unexpected text after the type") }
    if let problem = type.problem(allowingEmptyObjects: allowsEmptyObjects) {
      throw failure(problem)
    }
    return type
  }

  private mutating func parseType(depth: Int) throws(SchemaError) -> FieldType {
    guard depth <= SchemaLimits.depth else {
      throw failure("the type nests deeper than \(SchemaLimits.depth) levels")
    }
    var type: FieldType
    if take("[") {
      type = .list(try parseType(depth: depth + 1))
      try expect("]")
    } else if take("{") {
      guard word() == "string" else { throw failure("dictionary keys are strings") }
      try expect(":")
      type = .dictionary(try parseType(depth: depth + 1))
      try expect("}")
    } else if take("(") {
      type = .object(try parseMembers(depth: depth + 1))
    } else {
      type = try parseScalar()
    }
    if take("?") { type = .optional(type) }
    if take("?") { throw failure("an optional of an optional cannot be stored") }
    return type
  }

  private mutating func parseMembers(depth: Int) throws(SchemaError) -> [MemberShape] {
    var members: [MemberShape] = []
    if allowsEmptyObjects, take(")") { return [] }
    repeat {
      let name = word()
      guard !name.isEmpty else { throw failure("a member name is missing") }
      try expect(":")
      members.append(MemberShape(name, try parseType(depth: depth)))
    } while take(",")
    try expect(")")
    return members
  }

  private mutating func parseScalar() throws(SchemaError) -> FieldType {
    let name = word()
    switch name {
    case "bool": return .bool
    case "int32": return .int32
    case "int64": return .int64
    case "float": return .float
    case "double": return .double
    case "string": return .string
    case "data": return .data
    case "date": return .date
    case "uuid": return .uuid
    default: throw failure(name.isEmpty ? "a type is missing" : "\(name) is not a type")
    }
  }

  private mutating func skipSpaces() {
    while position < text.count, text[position] == UInt8(ascii: " ") { position += 1 }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    skipSpaces()
    guard position < text.count, text[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func expect(_ character: Unicode.Scalar) throws(SchemaError) {
    if !take(character) { throw failure("\(character) expected") }
  }

  /// The longest run of characters that names may hold.
  private mutating func word() -> String {
    skipSpaces()
    let start = position
    let stops = Array(SchemaLimits.reservedCharacters.utf8)
    while position < text.count, text[position] > 0x20, !stops.contains(text[position]) {
      position += 1
    }
    return String(decoding: text[start..<position], as: UTF8.self)
  }

  private func failure(_ reason: String) -> SchemaError {
    .invalidTypeText(text: String(decoding: text, as: UTF8.self), offset: position, reason: reason)
  }
}
