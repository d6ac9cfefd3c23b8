extension StepClosure {
  /// Code that takes its inputs as Swift values, one per parameter, and gives one.
  init<each Input: ValueConvertible, Output: ValueConvertible>(
    revision: UInt32, materialises: Bool = false,
    taking transform: @escaping @Sendable (repeat each Input) throws -> Output
  ) {
    var types: [FieldType?] = []
    for type in repeat (each Input).fieldType { types.append(type) }
    self.init(
      revision: revision, inputTypes: types, outputType: Output.fieldType,
      materialises: materialises
    ) { inputs in
      var inputs = inputs
      return try transform(repeat inputs.next((each Input).self)).stepValue
    }
  }
}
