/// One value of a fused plan, computed from values before it.
///
/// Steps refer to each other by position, so that a value with several readers is computed once,
/// and a value without readers not at all.
enum PlanStep: Sendable {
  /// A member of the record that enters the segment.
  case source(Int)
  case constant(Value)
  /// The value of a step, or a constant for nil.
  case fill(Int, Value)
  case widen(Int, Widening.Change)
  case transform(Int, EmbeddedTransform)
  case compute(PlanComputation)
}
