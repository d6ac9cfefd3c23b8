/// What computes a value: an expression, or a closure in a box of its own.
///
/// Threads that upgrade have plans of their own, with codes of their own: what an app's closure has
/// captured they share, and would count references to it for each record, one after the other.
final class StepCode: Sendable {
  let expression: ValueExpression?
  /// Nothing for an expression, and when the code is not at hand.
  let run: (@Sendable (StepInputs) throws -> Value)?

  init(_ computation: Computation) {
    switch computation {
    case .expression(let expression):
      self.expression = expression
      run = nil
    case .closure(let closure):
      expression = nil
      if let code = closure.runLent { run = { (inputs) in try code(inputs) } } else { run = nil }
    }
  }
}
