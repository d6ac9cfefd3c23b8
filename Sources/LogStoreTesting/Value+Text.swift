internal import ObjectStore

/// Values in the messages of tests.
extension Value {
  /// The value as code would have it; equal values have equal texts.
  var text: String {
    switch self {
    case .null: "nil"
    case .bool(let value): "\(value)"
    case .int(let value): "\(value)"
    case .float(let value): "\(value)"
    case .double(let value): "\(value)"
    case .string(let value): String(reflecting: value)
    case .data(let bytes): "\(bytes)"
    case .date(let seconds): "date \(seconds)"
    case .uuid(let identifier): "\(identifier)"
    case .list(let values): "[\(values.map(\.text).joined(separator: ", "))]"
    case .dictionary(let values):
      values.isEmpty ? "[:]" : "[\(Self.text(values) { String(reflecting: $0) })]"
    case .object(let values): "(\(Self.text(values) { $0 }))"
    }
  }

  private static func text(
    _ values: [String: Value], _ name: (String) -> String
  ) -> String {
    values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      .map { "\(name($0.key)): \($0.value.text)" }.joined(separator: ", ")
  }
}
