/// Any JSON value, so that a history file can be checked strictly and errors can name the place.
enum DocumentTree: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case text(String)
  case array([DocumentTree])
  case object([String: DocumentTree])
}

extension DocumentTree: Codable {
  /// How deep a history file may nest: the deepest history nests 388 lists and objects, with an
  /// expression of 64 levels inside of 63 embedded objects. Foundation's decoder reads 512.
  static let depthLimit = 400

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    if let container = try? decoder.container(keyedBy: Key.self) {
      try Self.checkDepth(around: decoder)
      var values: [String: DocumentTree] = [:]
      for key in container.allKeys {
        values[key.stringValue] = try container.decode(DocumentTree.self, forKey: key)
      }
      self = .object(values)
    } else if var container = try? decoder.unkeyedContainer() {
      try Self.checkDepth(around: decoder)
      var values: [DocumentTree] = []
      while !container.isAtEnd { values.append(try container.decode(DocumentTree.self)) }
      self = .array(values)
    } else {
      let container = try decoder.singleValueContainer()
      if container.decodeNil() {
        self = .null
      } else if let value = try? container.decode(Bool.self) {
        self = .bool(value)
      } else if let value = try? container.decode(Int64.self) {
        self = Self.isNegativeZero(value, in: container) ? .number(-0.0) : .integer(value)
      } else if let value = try? container.decode(Double.self) {
        self = .number(value)
      } else {
        self = .text(try container.decode(String.self))
      }
    }
  }

  /// Throws where the list or object that begins there is one level too many.
  private static func checkDepth(around decoder: any Decoder) throws {
    guard decoder.codingPath.count < depthLimit else {
      throw SchemaError.invalidHistoryDocument(
        path: "", reason: "the file nests deeper than \(depthLimit) levels")
    }
  }

  /// Whether a number that reads as the integer 0 is -0.0, which is another value.
  private static func isNegativeZero(
    _ value: Int64, in container: any SingleValueDecodingContainer
  ) -> Bool {
    guard value == 0, let number = try? container.decode(Double.self) else { return false }
    return number.sign == .minus
  }

  func encode(to encoder: any Encoder) throws {
    switch self {
    case .object(let values):
      var container = encoder.container(keyedBy: Key.self)
      for (key, value) in values {
        try container.encode(value, forKey: Key(stringValue: key))
      }
    case .array(let values):
      var container = encoder.unkeyedContainer()
      for value in values { try container.encode(value) }
    case .null, .bool, .integer, .number, .text:
      var container = encoder.singleValueContainer()
      switch self {
      case .bool(let value): try container.encode(value)
      case .integer(let value): try container.encode(value)
      case .number(let value): try container.encode(value)
      case .text(let value): try container.encode(value)
      default: try container.encodeNil()
      }
    }
  }
}
