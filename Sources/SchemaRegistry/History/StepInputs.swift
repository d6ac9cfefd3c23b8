/// The inputs of a step, which are lent, as values or taken as Swift values one after the other.
///
/// Valid as long as the memory that it was made of.
struct StepInputs {
  /// What some or all of are the inputs.
  private let values: UnsafeBufferPointer<Value>
  /// Where the inputs lie among the values; nil where those are the inputs.
  private let places: UnsafeBufferPointer<Int>?
  private var position = 0

  init(_ values: UnsafeBufferPointer<Value>) {
    self.values = values
    places = nil
  }

  /// Those of `values` that lie at `places`.
  init(_ values: UnsafeBufferPointer<Value>, at places: UnsafeBufferPointer<Int>) {
    self.values = values
    self.places = places
  }

  private var count: Int { places?.count ?? values.count }

  /// Traps where there are fewer, as an array would.
  subscript(index: Int) -> Value {
    precondition(index < count, "a step's code takes more inputs than there are")
    return values[places?[index] ?? index]
  }

  var isFirstNull: Bool { count > 0 && self[0].isNull }

  var all: [Value] { (0..<count).map { self[$0] } }

  /// The next one.
  ///
  /// - Throws: ``ValueConversionError``.
  mutating func next<Input: ValueConvertible>(_: Input.Type) throws -> Input {
    defer { position += 1 }
    return try Input(stepValue: self[position])
  }
}
