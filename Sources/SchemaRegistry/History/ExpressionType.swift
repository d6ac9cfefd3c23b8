/// What is known about an expression's value before any record is read.
struct ExpressionType {
  /// The type without optional; nil when only the record tells.
  let base: FieldType?
  let isOptional: Bool

  /// Why the expression cannot be stored in `type`, or nil.
  func problem(storingIn type: FieldType) -> String? {
    if isOptional, !type.isOptional {
      return "may be nil, but \(type) is required"
    }
    guard let base, !Self.isStorable(base, in: type.unwrapped) else { return nil }
    return "is \(base), but \(type.unwrapped) is needed"
  }

  /// Whether values of `given` are values of `wanted`, perhaps after a range check.
  static func isStorable(_ given: FieldType, in wanted: FieldType) -> Bool {
    switch (given, wanted) {
    case (.int32, .int64), (.int64, .int32): true
    case (.optional(let given), .optional(let wanted)): isStorable(given, in: wanted)
    case (_, .optional(let wanted)): isStorable(given, in: wanted)
    case (.list(let given), .list(let wanted)), (.dictionary(let given), .dictionary(let wanted)):
      isStorable(given, in: wanted)
    default: given.description == wanted.description
    }
  }
}
