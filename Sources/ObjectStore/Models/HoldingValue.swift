/// A value that holds others of one type, storable ones or not.
protocol HoldingValue {
  static var heldType: Any.Type { get }
}

extension Optional: HoldingValue {
  static var heldType: Any.Type { Wrapped.self }
}

extension Array: HoldingValue {
  static var heldType: Any.Type { Element.self }
}

extension Set: HoldingValue {
  static var heldType: Any.Type { Element.self }
}

extension Dictionary: HoldingValue {
  static var heldType: Any.Type { Value.self }
}
