/// What the run of a plan on one record takes of memory, which is lent: each record would allocate
/// it else.
struct PlanMemory {
  /// Where the members of the payload lie; nowhere as yet.
  let ranges: MemberRanges
  /// What steps gave; nothing as yet.
  let values: StepValues

  /// Calls `body` with room for so many members and steps.
  ///
  /// Two pieces: one above 1 KiB would not lie on the stack.
  @inline(__always)
  static func with<Result>(
    memberCount: Int, stepCount: Int, _ body: (PlanMemory) -> Result
  ) -> Result {
    withUnsafeTemporaryAllocation(
      byteCount: MemberRanges.byteCount(memberCount: memberCount),
      alignment: MemoryLayout<Int>.alignment
    ) { ranges in
      withUnsafeTemporaryAllocation(
        byteCount: StepValues.byteCount(count: stepCount),
        alignment: MemoryLayout<Value>.alignment
      ) { values in
        let parts = PlanMemory(
          ranges: MemberRanges(memberCount: memberCount, in: ranges),
          values: StepValues(count: stepCount, in: values))
        defer { parts.values.removeAll() }
        return body(parts)
      }
    }
  }
}
