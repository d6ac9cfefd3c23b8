internal import SchemaRegistry

/// Converts the value of one member of one row; knows where it is for errors.
///
/// Every conversion is exact, except that decimal digits become the nearest double, and for a float
/// the one that is nearest to that. Texts are read as `CanonicalJSON` writes them: data as base64,
/// dates as ISO 8601, uuids, and the numbers that JSON lacks as "NaN", "Infinity" and "-Infinity".
struct ValueConversion {
  var line: Int
  private let member: String
  /// The way to what is inside of the member: of itself it is made where an error needs it, and not
  /// for each cell.
  private var innerPath: MemberPath?
  /// Whether text may stand for booleans, numbers and nil, and for lists, dictionaries and objects
  /// in JSON, as in the cells of CSV.
  var readsText: Bool

  init(line: Int, member: String, readsText: Bool) {
    self.line = line
    self.member = member
    self.readsText = readsText
  }

  private var path: MemberPath { innerPath ?? .member(member, of: .row) }

  func value(_ value: ImportValue, as type: FieldType) throws(ImportError) -> Value {
    let isEmptyCell = readsText && value == .text("")
    switch (type, value) {
    case (.optional, .null):
      return .null
    case (.optional(let wrapped), _):
      // An empty cell is empty text, and nil for every other type.
      if isEmptyCell, wrapped != .string { return .null }
      // So is what JSON has as null in a cell.
      if readsText, case .text(let text) = value, isStructure(wrapped) {
        return try structure(text, as: type)
      }
      return try self.value(value, as: wrapped)
    case (.list(let element), .list(let elements)):
      var values: [Value] = []
      let inside = inner(.element(of: path))
      for value in elements { values.append(try inside.value(value, as: element)) }
      return .list(values)
    case (.dictionary(let element), .object(let members)):
      var values: [String: Value] = [:]
      let path = path
      for part in members {
        values[part.name] = try inner(.member(part.name, of: path)).value(part.value, as: element)
      }
      return .dictionary(values)
    case (.object(let shapes), .object(let members)):
      return .object(try object(members, shapes: shapes))
    case (_, .text(let text)) where readsText && isStructure(type):
      return try structure(text, as: type)
    default:
      guard let converted = scalar(value, as: type) else {
        throw .invalidValue(
          line: line, member: path.text, type: type.description, found: value.kind)
      }
      return converted
    }
  }

  private func isStructure(_ type: FieldType) -> Bool {
    switch type {
    case .list, .dictionary, .object: true
    default: false
    }
  }

  /// A list, dictionary or object that a cell has in JSON, in which text is text.
  private func structure(_ text: String, as type: FieldType) throws(ImportError) -> Value {
    var parser = JSONParser()
    let parsed: ImportValue
    do throws(JSONProblem) { parsed = try parser.parse(Array(text.utf8).span, depth: 1) } catch {
      throw .refusedValue(
        line: line, member: path.text,
        reason:
          "\(type.unwrapped) is read from JSON, and byte \(parser.offset + 1) is none: \(error)")
    }
    var inside = self
    inside.readsText = false
    return try inside.value(parsed, as: type)
  }

  private func inner(_ path: MemberPath) -> ValueConversion {
    var inner = self
    inner.innerPath = path
    return inner
  }

  private func object(
    _ members: [ImportMember], shapes: [MemberShape]
  ) throws(ImportError) -> [String: Value] {
    var values: [String: Value] = [:]
    let path = path
    for part in members {
      let inside = inner(.member(part.name, of: path))
      guard let shape = shapes.first(where: { $0.name == part.name }) else {
        throw .unknownMember(line: line, member: inside.path.text)
      }
      values[part.name] = try inside.value(part.value, as: shape.type)
    }
    for shape in shapes where values[shape.name] == nil {
      guard shape.type.isOptional else {
        throw .missingMember(line: line, member: MemberPath.member(shape.name, of: path).text)
      }
      values[shape.name] = .null
    }
    return values
  }

  private func scalar(_ value: ImportValue, as type: FieldType) -> Value? {
    switch type {
    case .bool: bool(value).map { .bool($0) }
    case .int32: integer(value).flatMap { Int32(exactly: $0) }.map { .int(Int64($0)) }
    case .int64: integer(value).map { .int($0) }
    case .float: float(value).map { .float($0) }
    case .double: double(value).map { .double($0) }
    case .string: text(value).map { .string($0) }
    case .data: text(value).flatMap(Base64.decode).map { .data($0) }
    case .date: date(value).map { .date($0) }
    case .uuid: text(value).flatMap { UniqueIdentifier(parsing: $0) }.map { .uuid($0) }
    case .optional, .list, .dictionary, .object: nil
    }
  }

  private func text(_ value: ImportValue) -> String? {
    if case .text(let text) = value { text } else { nil }
  }

  private func bool(_ value: ImportValue) -> Bool? {
    switch value {
    case .bool(let bool): bool
    case .text("true") where readsText: true
    case .text("false") where readsText: false
    default: nil
    }
  }

  private func integer(_ value: ImportValue) -> Int64? {
    switch value {
    case .integer(let integer), .wholeReal(_, let integer): integer
    case .text(let text) where readsText: number(text).flatMap(integer)
    default: nil
    }
  }

  private func double(_ value: ImportValue) -> Double? {
    switch value {
    case .integer(let integer): Double(exactly: integer)
    case .real(let real), .wholeReal(let real, _): real
    case .text("NaN"): .nan
    case .text("Infinity"): .infinity
    case .text("-Infinity"): -.infinity
    case .text(let text) where readsText: number(text).flatMap(double)
    default: nil
    }
  }

  private func float(_ value: ImportValue) -> Float? {
    if case .integer(let integer) = value { return Float(exactly: integer) }
    if case .text(let text) = value, readsText, let number = number(text) { return float(number) }
    guard let double = double(value) else { return nil }
    let float = Float(double)
    // Digits may be rounded, but a finite number never becomes an infinity.
    return float.isFinite == double.isFinite ? float : nil
  }

  private func date(_ value: ImportValue) -> Double? {
    switch value {
    case .text(let text): Timestamp(parsing: text)?.secondsSince2001 ?? double(value)
    default: double(value)
    }
  }

  /// A number as JSON writes it, so that the cells of CSV follow the same rules.
  private func number(_ text: String) -> ImportValue? {
    var parser = JSONParser()
    let bytes = Array(text.utf8)
    let value = try? parser.parse(bytes.span)
    switch value {
    case .integer, .real, .wholeReal: return value
    default: return nil
    }
  }
}
