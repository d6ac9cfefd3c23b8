/// A value computed by a closure or an expression. A class, as each record would copy it else.
final class PlanComputation: Sendable {
  let operationID: String
  /// What the inputs are called.
  let names: InputNames
  /// The steps that give the inputs.
  let inputs: [Int]
  let code: StepCode
  let type: FieldType
  let keepsNil: Bool

  init(
    operationID: String, inputs: [(name: String, step: Int)], computation: Computation,
    type: FieldType, keepsNil: Bool
  ) {
    self.operationID = operationID
    names = InputNames(inputs.map(\.name))
    self.inputs = inputs.map(\.step)
    code = StepCode(computation)
    self.type = type
    self.keepsNil = keepsNil
  }
}
