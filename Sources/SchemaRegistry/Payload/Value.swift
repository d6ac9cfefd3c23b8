/// One value of a record, outside any Swift model: what upgrade steps and tools work with.
///
/// Two values are equal exactly when they are stored as the same bytes: a NaN equals itself, 0.0 is
/// not -0.0, and of two texts that Swift calls equal, with composed and decomposed accents say,
/// each is a value, and a key, of its own.
public enum Value: Sendable {
  case null
  case bool(Bool)
  /// A value of an `int32` or `int64` member; the range is checked when it is encoded.
  case int(Int64)
  case float(Float)
  case double(Double)
  case string(String)
  case data([UInt8])
  /// Seconds since the start of 2001 in UTC.
  case date(Double)
  case uuid(UniqueIdentifier)
  case list([Value])
  case dictionary([String: Value])
  /// An embedded object by member names.
  case object([String: Value])

  /// Whether this is nil.
  public var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// Whether this value can be stored in a member of `type`; the cost grows with the value.
  public func isValid(for type: FieldType) -> Bool {
    switch (self, type) {
    case (.null, .optional), (.bool, .bool), (.int, .int64), (.float, .float), (.double, .double),
      (.string, .string), (.data, .data), (.date, .date), (.uuid, .uuid):
      true
    case (.int(let integer), .int32):
      Int32(exactly: integer) != nil
    case (_, .optional(let wrapped)):
      isValid(for: wrapped)
    case (.list(let elements), .list(let type)):
      elements.allSatisfy { $0.isValid(for: type) }
    case (.dictionary(let values), .dictionary(let type)):
      values.values.allSatisfy { $0.isValid(for: type) }
    case (.object(let values), .object(let members)):
      values.count <= members.count
        && members.allSatisfy { (values[$0.name] ?? .null).isValid(for: $0.type) }
        && values.keys.allSatisfy { name in members.contains { $0.name == name } }
    default:
      false
    }
  }

  /// The word for what this value is, for error texts that must not show the value itself.
  public var kindName: String {
    switch self {
    case .null: "nil"
    case .bool: "bool"
    case .int: "integer"
    case .float: "float"
    case .double: "double"
    case .string: "string"
    case .data: "data"
    case .date: "date"
    case .uuid: "uuid"
    case .list: "list"
    case .dictionary: "dictionary"
    case .object: "object"
    }
  }
}

extension Value: Hashable {
  public static func == (left: Value, right: Value) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.int(let left), .int(let right)): left == right
    case (.float(let left), .float(let right)): left.bitPattern == right.bitPattern
    case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
    case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
    case (.data(let left), .data(let right)): left == right
    case (.date(let left), .date(let right)): left.bitPattern == right.bitPattern
    case (.uuid(let left), .uuid(let right)): left == right
    case (.list(let left), .list(let right)): left == right
    case (.dictionary(let left), .dictionary(let right)): left.isStored(as: right)
    case (.object(let left), .object(let right)): left == right
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(kindName)
    switch self {
    case .null: break
    case .bool(let value): hasher.combine(value)
    case .int(let value): hasher.combine(value)
    case .float(let value): hasher.combine(value.bitPattern)
    case .double(let value), .date(let value): hasher.combine(value.bitPattern)
    case .string(let value): value.hashBytes(into: &hasher)
    case .data(let value): hasher.combine(value)
    case .uuid(let value): hasher.combine(value)
    case .list(let value): hasher.combine(value)
    case .dictionary(let value), .object(let value): hasher.combine(value)
    }
  }
}

extension String {
  /// Not only canonically equal.
  func hasSameBytes(as other: String) -> Bool {
    utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
  }

  fileprivate func hashBytes(into hasher: inout Hasher) {
    var text = self
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(UInt8.max)
  }
}

extension [String: Value] {
  /// Whether keys, too, have the same bytes; Swift finds those that are canonically equal.
  fileprivate func isStored(as other: [String: Value]) -> Bool {
    count == other.count
      && allSatisfy { key, value in
        guard let place = other.index(forKey: key) else { return false }
        return other[place].key.hasSameBytes(as: key) && other[place].value == value
      }
  }
}
