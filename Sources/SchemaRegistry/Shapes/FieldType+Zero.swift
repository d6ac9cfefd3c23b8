extension FieldType {
  /// The value of this type that says least: nil, false, 0, nothing; for members that an app does
  /// not know and must give a value.
  public var zeroValue: Value {
    switch self {
    case .optional: .null
    case .bool: .bool(false)
    case .int32, .int64: .int(0)
    case .float: .float(0)
    case .double: .double(0)
    case .string: .string("")
    case .data: .data([])
    case .date: .date(0)
    case .uuid: .uuid(UniqueIdentifier(high: 0, low: 0))
    case .list: .list([])
    case .dictionary: .dictionary([:])
    case .object(let members):
      .object(
        Dictionary(
          members.map { ($0.name, $0.type.zeroValue) }, uniquingKeysWith: { first, _ in first }))
    }
  }
}
