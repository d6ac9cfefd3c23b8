/// Type changes that lose nothing: int32 to int64 or double, float to double, T to T?, T to [T].
package enum Widening {
  /// What becomes of the values of a member that is widened.
  enum Change: Sendable {
    /// Each is the only element of a list; nil, too.
    case wrapping
    /// `T?` to `[T]?`: the list is wrapped inside the optional.
    case wrappingPresent
    /// Integers and floats are doubles.
    case toDouble

    func widened(_ value: Value) -> Value {
      switch (self, value) {
      case (.wrapping, _): .list([value])
      case (_, .null): .null
      case (.wrappingPresent, _): .list([value])
      case (.toDouble, .int(let integer)): .double(Double(integer))
      case (.toDouble, .float(let float)): .double(Double(float))
      case (.toDouble, _): value
      }
    }
  }

  /// Whether every value of `old` has exactly one value of `new`; false when they are the same.
  package static func isLossless(from old: FieldType, to new: FieldType) -> Bool {
    if isSame(new, .list(old)) { return true }
    switch (old, new) {
    case (.int32, .int64), (.int32, .double), (.float, .double): return true
    case (.optional(let old), .optional(let new)): return isLossless(from: old, to: new)
    case (.optional, _): return false
    case (_, .optional(let new)): return isSame(old, new) || isLossless(from: old, to: new)
    default: return false
    }
  }

  /// Whether a present value has the same bytes before and after.
  static func keepsBytes(from old: FieldType, to new: FieldType) -> Bool {
    let (old, new) = (old.unwrapped, new.unwrapped)
    return isSame(old, new) || (old == .int32 && new == .int64)
  }

  /// The change that makes a value of `old` one of `new`, which have other bytes; found once, as
  /// types are compared by their texts.
  static func change(from old: FieldType, to new: FieldType) -> Change {
    if isSame(new, .list(old)) || isSame(new.unwrapped, .list(old)) { return .wrapping }
    if isSame(new.unwrapped, .list(old.unwrapped)) { return .wrappingPresent }
    return .toDouble
  }

  /// Types are the same when their texts are: identities of embedded members do not matter here.
  static func isSame(_ left: FieldType, _ right: FieldType) -> Bool {
    left.description == right.description
  }
}
