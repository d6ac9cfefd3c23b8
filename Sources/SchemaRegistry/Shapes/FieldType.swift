/// What a member holds.
public indirect enum FieldType: Hashable, Sendable {
  case bool
  case int32
  case int64
  case float
  case double
  case string
  /// Raw bytes.
  case data
  /// A point in time, as seconds since the start of 2001 in UTC.
  case date
  case uuid
  /// A value or nothing; never an optional of an optional.
  case optional(FieldType)
  case list(FieldType)
  /// Values under text keys.
  case dictionary(FieldType)
  /// An embedded object with at least one member.
  case object([MemberShape])

  /// What Swift's `Int` is stored as.
  @inlinable
  public static var int: FieldType { .int64 }

  /// Whether nil is a value of this type.
  @inlinable
  public var isOptional: Bool {
    if case .optional = self { true } else { false }
  }

  /// The type without its outermost optional.
  @inlinable
  public var unwrapped: FieldType {
    if case .optional(let wrapped) = self { wrapped } else { self }
  }

  /// The type that also allows nil.
  public var madeOptional: FieldType { isOptional ? self : .optional(self) }

  /// Whether values of this type can be the primary key of a record.
  public var isKeyType: Bool {
    switch self {
    case .int32, .int64, .string, .uuid, .data: true
    default: false
    }
  }
}
