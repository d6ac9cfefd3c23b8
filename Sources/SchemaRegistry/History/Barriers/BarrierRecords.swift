/// Runs a barrier's code on one record, with the same rules as whole-record steps.
package enum BarrierRecords {
  /// The members of a record after `body`, in the order of `shape`, or nothing when it was dropped.
  package static func run(
    _ body: (RecordView, inout RecordDraft) throws -> StepOutcome, operationID: String,
    shape: TypeShape, old: [Value], current: [Value]
  ) throws -> [Value]? {
    let faults = StepFaults()
    let view = RecordView(named(shape, old), faults: faults)
    var draft = RecordDraft(named(shape, current), keyMember: shape.keyMember, faults: faults)
    let outcome = try body(view, &draft)
    if let fault = faults.first {
      throw SchemaError.barrierFailed(operationID: operationID, underlying: fault)
    }
    if outcome == .drop { return nil }
    return shape.members.enumerated().map { index, member in
      index == shape.keyIndex ? current[index] : draft.values[member.name] ?? .null
    }
  }

  private static func named(_ shape: TypeShape, _ values: [Value]) -> [String: Value] {
    Dictionary(zip(shape.members.map(\.name), values), uniquingKeysWith: { first, _ in first })
  }
}
