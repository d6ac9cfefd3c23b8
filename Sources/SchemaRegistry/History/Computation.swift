/// How a value is computed from others: by a described expression or by Swift code.
public enum Computation: Sendable {
  case expression(ValueExpression)
  case closure(StepClosure)
}
