/// Swift code that computes one value from declared inputs, without access to anything else.
public struct StepClosure: Sendable {
  /// Raised by the author when the meaning of the code changed; code itself cannot be compared.
  public let revision: UInt32
  /// What each parameter accepts; nil accepts any value.
  public let inputTypes: [FieldType?]
  /// What the code returns; nil may be any value.
  public let outputType: FieldType?
  /// Whether what it gives is written at the next chance, so that mended code changes it no more.
  public let materialises: Bool
  /// The code; nil when only its description is at hand.
  public let run: (@Sendable ([Value]) throws -> Value)?
  /// The same code for inputs that are lent.
  let runLent: (@Sendable (StepInputs) throws -> Value)?

  public init(
    revision: UInt32, inputTypes: [FieldType?], outputType: FieldType?,
    materialises: Bool = false,
    run: (@Sendable ([Value]) throws -> Value)?
  ) {
    self.revision = revision
    self.materialises = materialises
    self.inputTypes = inputTypes
    self.outputType = outputType
    self.run = run
    if let run { runLent = { inputs in try run(inputs.all) } } else { runLent = nil }
  }

  /// Code that takes its inputs as they are lent.
  init(
    revision: UInt32, inputTypes: [FieldType?], outputType: FieldType?, materialises: Bool,
    runLent: @escaping @Sendable (StepInputs) throws -> Value
  ) {
    self.revision = revision
    self.materialises = materialises
    self.inputTypes = inputTypes
    self.outputType = outputType
    self.runLent = runLent
    run = { values in try values.withUnsafeBufferPointer { try runLent(StepInputs($0)) } }
  }
}
