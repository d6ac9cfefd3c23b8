/// The values of a plan's steps that were computed so far for one record, in lent memory.
///
/// Which of them are known stands beside them: to ask each value, or to take it down, through its
/// type would take longer than to compute most.
struct StepValues {
  private let values: UnsafeMutableBufferPointer<Value>
  private let known: UnsafeMutableBufferPointer<Bool>

  static func byteCount(count: Int) -> Int { count * (MemoryLayout<Value>.stride + 1) }

  /// For `count` values, none of which is known, in `memory`, which holds nothing, has room, and is
  /// aligned for values. Those that are known must be removed in the end.
  init(count: Int, in memory: UnsafeMutableRawBufferPointer) {
    let valuesByteCount = count * MemoryLayout<Value>.stride
    values = UnsafeMutableRawBufferPointer(rebasing: memory[..<valuesByteCount])
      .bindMemory(to: Value.self)
    known = UnsafeMutableRawBufferPointer(
      rebasing: memory[valuesByteCount..<Self.byteCount(count: count)]
    ).initializeMemory(as: Bool.self, repeating: false)
  }

  /// The value of a step, if it is known.
  subscript(step: Int) -> Value? { known[step] ? values[step] : nil }

  func knows(_ step: Int) -> Bool { known[step] }

  /// The values of steps that are known, as the inputs of another; valid until values are removed.
  func lent(at steps: UnsafeBufferPointer<Int>) -> StepInputs {
    StepInputs(UnsafeBufferPointer(values), at: steps)
  }

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
