internal import BinaryCoding

extension UpgradePlan {
  /// The upgraded payload by the slow way: one version after the other, every operation in order.
  ///
  /// Gives what ``upgrade(_:key:committedAt:)`` gives, and also runs steps whose result is not
  /// needed. Nil when a step dropped the record.
  public func upgradeStepwise(
    _ payload: [UInt8], key: [UInt8], committedAt: UInt64
  ) throws(SchemaError) -> [UInt8]? {
    try key.withBytes { (key: UnsafeRawBufferPointer) throws(SchemaError) in
      try upgradeStepwise(payload, runner(key: key, committedAt: committedAt))
    }
  }

  private func upgradeStepwise(
    _ payload: [UInt8], _ runner: StepRunner
  ) throws(SchemaError) -> [UInt8]? {
    let keyValue = try KeyCoding.decode(runner.key, as: source.keyType)
    let stored = try RecordPayload.decode(payload, key: keyValue, shape: source)
    var record: [MemberIdentity: Value] = [:]
    for member in derivedSource.members {
      record[member.identity] = source.index(ofMember: member.name).map { stored[$0] }
    }
    for transition in transitions {
      guard let next = try Self.apply(transition, to: record, runner: runner) else { return nil }
      record = next
    }
    let values = target.members.map { member in
      derivedTarget.members.first { $0.name == member.name }
        .flatMap { record[$0.identity] } ?? .null
    }
    return try RecordPayload.encode(values, shape: target)
  }

  private static func apply(
    _ transition: TypeTransition, to old: [MemberIdentity: Value], runner: StepRunner
  ) throws(SchemaError) -> [MemberIdentity: Value]? {
    var record = old
    for operation in transition.operations {
      switch operation.kind {
      case .drop(let inputs, let condition):
        let drops = try runner.compute(
          condition, names: inputs.map(\.name), values: inputs.map { record[$0.member] ?? .null },
          type: .bool, keepsNil: false, operationID: operation.id)
        if drops == .bool(true) { return nil }
      case .rewrite(let closure):
        let values = try runner.rewrite(
          closure, operationID: operation.id, transition: transition,
          old: transition.source.members.map { old[$0.identity] ?? .null },
          new: transition.target.members.map { record[$0.identity] ?? .null })
        guard let values else { return nil }
        record = [:]
        for (member, value) in zip(transition.target.members, values) {
          record[member.identity] = value
        }
      default: try runner.run(operation, on: &record)
      }
    }
    return record
  }
}

extension StepRunner {
  /// Does to a record, or to an embedded object, what one operation on its members does.
  func run(
    _ operation: ResolvedOperation, on record: inout [MemberIdentity: Value]
  ) throws(SchemaError) {
    switch operation.kind {
    case .set(let member, let value): record[member] = value
    case .remove(let member): record[member] = nil
    case .fill(let member, let value):
      if record[member]?.isNull ?? true { record[member] = value }
    case .widen(let member, let change): record[member] = record[member].map(change.widened)
    case .compute(let member, let type, let inputs, let computation, let keepsNil):
      record[member] = try compute(
        computation, names: inputs.map(\.name), values: inputs.map { record[$0.member] ?? .null },
        type: type, keepsNil: keepsNil, operationID: operation.id)
    case .transform(let member, let transform):
      record[member] = try transform.apply(to: record[member] ?? .null, with: self)
    case .drop, .rewrite:
      preconditionFailure("an operation on whole records must not run inside one")
    }
  }
}
