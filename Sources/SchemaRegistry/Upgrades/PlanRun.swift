internal import BinaryCoding

/// The fused upgrade of one record. The plan is handed to it each time: what it holds is counted
/// for each record.
struct PlanRun: ~Copyable {
  private let payload: UnsafeRawBufferPointer
  private let runner: StepRunner
  /// Where the stored members lie in the payload.
  private let ranges: MemberRanges
  /// The record that entered the current segment; nil in the first, which reads the payload.
  private var record: [Value]?
  /// The values of the current segment's steps that were computed so far.
  private let values: StepValues

  private var key: UnsafeRawBufferPointer { runner.key }

  /// `memory` says where the stored members lie, and has room for the steps of each segment.
  init(payload: UnsafeRawBufferPointer, memory: PlanMemory, runner: StepRunner) {
    self.payload = payload
    ranges = memory.ranges
    values = memory.values
    self.runner = runner
  }

  /// Appends the upgraded record to `writer`; `copied` notes which of its bytes are the payload's.
  mutating func upgrade(
    by plan: UpgradePlan, noting copied: inout CopiedRanges, to writer: inout ByteWriter
  ) throws(SchemaError) -> StepOutcome {
    for number in plan.segments.indices {
      let segment = plan.segments[number]
      if try drops(segment, plan) { return .drop }
      guard let rewrite = segment.rewrite else {
        try emit(segment, plan, noting: &copied, to: &writer)
        continue
      }
      guard let next = try run(rewrite, segment, plan) else { return .drop }
      record = next
      values.removeAll()
    }
    return .keep
  }

  private func drops(_ segment: PlanSegment, _ plan: UpgradePlan) throws(SchemaError) -> Bool {
    for number in segment.drops.indices
    where try result(of: segment.drops[number], segment, plan) == .bool(true) { return true }
    return false
  }

  /// What one member of the target would hold; nothing when the record is dropped. Only for plans
  /// of one segment.
  func value(
    of emission: PlanEmission, _ slot: PayloadLayout.Slot, by plan: UpgradePlan
  ) throws(SchemaError) -> Value? {
    let segment = plan.segments[0]
    if try drops(segment, plan) { return nil }
    switch emission {
    case .absent: return .null
    case .copy(let index): return try decode(index, plan)
    case .copyOrBytes(let index, let constant):
      return stored(index) == nil ? try decode(constant, slot, plan) : try decode(index, plan)
    case .bytes(let constant): return try decode(constant, slot, plan)
    case .value(let step): return try value(of: step, segment, plan)
    }
  }

  private func decode(
    _ constant: [UInt8], _ slot: PayloadLayout.Slot, _ plan: UpgradePlan
  ) throws(SchemaError) -> Value {
    do throws(BinaryDecodingError) {
      return try constant.withBytes { (bytes: UnsafeRawBufferPointer) throws(BinaryDecodingError) in
        var reader = ByteReader(bytes)
        return try ValueCoding.read(slot.type.unwrapped, from: &reader)
      }
    } catch {
      throw malformed(error, plan)
    }
  }

  private func run(
    _ rewrite: PlanRewrite, _ segment: PlanSegment, _ plan: UpgradePlan
  ) throws(SchemaError) -> [Value]? {
    let old = try rewrite.old.map { (step) throws(SchemaError) in
      try value(of: step, segment, plan)
    }
    let new = try rewrite.new.map { (step) throws(SchemaError) in
      try value(of: step, segment, plan)
    }
    return try runner.rewrite(
      rewrite.closure, operationID: rewrite.operationID, transition: rewrite.transition, old: old,
      new: new)
  }

  private func emit(
    _ segment: PlanSegment, _ plan: UpgradePlan, noting copied: inout CopiedRanges,
    to writer: inout ByteWriter
  ) throws(SchemaError) {
    let copies = plan.copies
    let start = writer.count
    let bitmap = PresenceBitmap(optionalCount: copies.optionalCount, appendingTo: &writer)
    let byteCountMaximum = copies.byteCountMaximum(payload.count)
    for number in copies.stretches.indices {
      let written = writer.count - start
      writer.append(capacity: byteCountMaximum) { (room: UnsafeMutableRawBufferPointer) -> Int in
        let record = UnsafeMutableRawBufferPointer(
          start: room.baseAddress.map { $0 - written }, count: written + room.count)
        return copies.write(
          number, payload, ranges, noting: &copied, to: record, written) - written
      }
      guard let member = copies.stretches[number].value else { continue }
      let value = try value(of: member.step, segment, plan)
      if let bit = member.presenceBit {
        if value.isNull { continue }
        bitmap.markPresent(bit, in: &writer)
      }
      try write(value, member, plan, to: &writer)
    }
  }

  private func stored(_ member: Int) -> UnsafeRawBufferPointer? {
    ranges[member].map { UnsafeRawBufferPointer(rebasing: payload[$0]) }
  }

  private func write(
    _ value: Value, _ computed: PlanCopies.ComputedMember, _ plan: UpgradePlan,
    to writer: inout ByteWriter
  ) throws(SchemaError) {
    do throws(ValueCoding.Problem) {
      try ValueCoding.write(value, as: computed.type, to: &writer)
    } catch {
      let member = plan.target.members[computed.memberIndex].name
      throw .invalidValue(
        type: plan.target.name, member: error.inside(member).path, reason: error.reason)
    }
  }

  private func value(
    of step: Int, _ segment: PlanSegment, _ plan: UpgradePlan
  ) throws(SchemaError) -> Value {
    if let value = values[step] { return value }
    let result: Value
    switch segment.steps[step] {
    case .source(let index):
      result = if let record { record[index] } else { try decode(index, plan) }
    case .constant(let value): result = value
    case .fill(let input, let fill):
      let value = try value(of: input, segment, plan)
      result = value.isNull ? fill : value
    case .widen(let input, let change):
      result = change.widened(try value(of: input, segment, plan))
    case .transform(let input, let transform):
      result = try transform.apply(to: try value(of: input, segment, plan), with: runner)
    case .compute(let computation): result = try self.result(of: computation, segment, plan)
    }
    values.insert(result, for: step)
    return result
  }

  private func result(
    of computation: PlanComputation, _ segment: PlanSegment, _ plan: UpgradePlan
  ) throws(SchemaError) -> Value {
    // Then they lie where the values of all steps do.
    for step in computation.inputs where !values.knows(step) {
      _ = try value(of: step, segment, plan)
    }
    return try computation.inputs.withUnsafeBufferPointer { (inputs) throws(SchemaError) in
      try runner.compute(
        computation.code, names: computation.names, values.lent(at: inputs),
        type: computation.type, keepsNil: computation.keepsNil,
        operationID: computation.operationID)
    }
  }

  private func decode(_ member: Int, _ plan: UpgradePlan) throws(SchemaError) -> Value {
    if member == plan.source.keyIndex {
      return try KeyCoding.decode(key, as: plan.source.keyType)
    }
    guard let bytes = stored(member) else { return .null }
    do throws(BinaryDecodingError) {
      var reader = ByteReader(bytes)
      let value = try ValueCoding.read(plan.source.members[member].type.unwrapped, from: &reader)
      try reader.expectEnd()
      return value
    } catch {
      throw malformed(error, plan)
    }
  }

  private func malformed(_ error: BinaryDecodingError, _ plan: UpgradePlan) -> SchemaError {
    plan.malformed(error, key: key, runner.committedAt)
  }
}
