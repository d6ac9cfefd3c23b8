/// Type changes that lose nothing: int32 to int64 or double, float to double, T to T?, T to [T].
package enum Widening {
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

  static func widen(_ value: Value, from old: FieldType, to new: FieldType) -> Value {
    if isSame(new, .list(old)) { return .list([value]) }
    if isSame(new.unwrapped, .list(old)) { return .list([value]) }
    if value.isNull { return .null }
    switch (value, new.unwrapped) {
    case (.int(let integer), .double): return .double(Double(integer))
    case (.float(let float), .double): return .double(Double(float))
    case (_, .list(let element)) where isLosslessListWrap(old, element):
      return .list([value])
    default: return value
    }
  }

  /// Types are the same when their texts are: identities of embedded members do not matter here.
  static func isSame(_ left: FieldType, _ right: FieldType) -> Bool {
    left.description == right.description
  }

  /// `T?` to `[T]?`: the list is wrapped inside the optional.
  private static func isLosslessListWrap(_ old: FieldType, _ element: FieldType) -> Bool {
    isSame(old.unwrapped, element)
  }
}
