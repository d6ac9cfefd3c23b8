/// The values of a plan's steps that were computed so far for one record, in lent memory.
///
/// Which of them are known stands beside them: to ask each value, or to take it down, through its
/// type would take longer than to compute most.
struct StepValues {
  private let values: UnsafeMutableBufferPointer<Value>
  private let known: UnsafeMutableBufferPointer<Bool>

  /// Calls `body` with room for `count` values, none of which is known; takes down those that are
  /// afterwards.
  static func with<Result>(
    count: Int, _ body: (StepValues) -> Result
  ) -> Result {
    withUnsafeTemporaryAllocation(of: Value.self, capacity: count) { values in
      withUnsafeTemporaryAllocation(of: Bool.self, capacity: count) { known in
        known.initialize(repeating: false)
        let steps = StepValues(values: values, known: known)
        defer { steps.removeAll() }
        return body(steps)
      }
    }
  }

  /// The value of a step, if it is known.
  subscript(step: Int) -> Value? { known[step] ? values[step] : nil }

  /// Notes the value of a step that is not known.
  func insert(_ value: Value, for step: Int) {
    precondition(!known[step], "a step of a plan must be computed once for a record")
    values.initializeElement(at: step, to: value)
    known[step] = true
  }

  /// Forgets all values.
  func removeAll() {
    for step in known.indices where known[step] {
      values.deinitializeElement(at: step)
      known[step] = false
    }
  }
}
