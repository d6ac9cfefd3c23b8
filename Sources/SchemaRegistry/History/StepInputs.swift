/// The inputs of a step, taken as Swift values one after the other.
struct StepInputs {
  private let values: [Value]
  private var position = 0

  init(_ values: [Value]) { self.values = values }

  /// The next one.
  ///
  /// - Throws: ``ValueConversionError``.
  mutating func next<Input: ValueConvertible>(_: Input.Type) throws -> Input {
    defer { position += 1 }
    return try Input(stepValue: values[position])
  }
}
