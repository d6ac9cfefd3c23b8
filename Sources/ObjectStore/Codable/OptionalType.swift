/// Tells optionals from other types, whatever they wrap.
protocol OptionalType {
  /// What is inside.
  var wrapped: Any? { get }
}

extension Optional: OptionalType {
  var wrapped: Any? {
    switch self {
    case .none: nil
    case .some(let value): value
    }
  }
}
