internal import BinaryCoding

/// The fused upgrade of one record.
struct PlanRun: ~Copyable {
  private let plan: UpgradePlan
  private let payload: UnsafeRawBufferPointer
  private let runner: StepRunner
  /// Where the stored members lie in the payload.
  private let ranges: MemberRanges
  /// The record that entered the current segment; nil in the first, which reads the payload.
  private var record: [Value]?
  /// The values of the current segment's steps that were computed so far.
  private let values: StepValues

  private var key: UnsafeRawBufferPointer { runner.key }

  /// `ranges` says where the stored members lie; `values` has room for the steps of each segment
  /// and knows none yet.
  init(
    plan: UpgradePlan, payload: UnsafeRawBufferPointer, ranges: MemberRanges, values: StepValues,
    runner: StepRunner
  ) {
    self.plan = plan
    self.payload = payload
    self.ranges = ranges
    self.values = values
    self.runner = runner
  }

  /// Appends the upgraded record to `writer`; `copied` notes which of its bytes are the payload's.
  mutating func upgrade(
    noting copied: inout CopiedRanges, to writer: inout ByteWriter
  ) throws(SchemaError) -> StepOutcome {
    for segment in plan.segments {
      if try drops(segment) { return .drop }
      switch segment.end {
      case .rewrite(let rewrite):
        guard let next = try run(rewrite, segment) else { return .drop }
        record = next
        values.removeAll()
      case .record:
        try emit(segment, noting: &copied, to: &writer)
      }
    }
    return .keep
  }

  private func drops(_ segment: PlanSegment) throws(SchemaError) -> Bool {
    for drop in segment.drops where try result(of: drop, segment) == .bool(true) { return true }
    return false
  }

  /// What one member of the target would hold; nothing when the record is dropped. Only for plans
  /// of one segment.
  mutating func value(
    of emission: PlanEmission, _ slot: PayloadLayout.Slot
  ) throws(SchemaError) -> Value? {
    let segment = plan.segments[0]
    if try drops(segment) { return nil }
    switch emission {
    case .absent: return .null
    case .copy(let index): return try decode(index)
    case .copyOrBytes(let index, let constant):
      return stored(index) == nil ? try decode(constant, slot) : try decode(index)
    case .bytes(let constant): return try decode(constant, slot)
    case .value(let step): return try value(of: step, segment)
    }
  }

  private func decode(
    _ constant: [UInt8], _ slot: PayloadLayout.Slot
  ) throws(SchemaError) -> Value {
    do throws(BinaryDecodingError) {
      return try constant.withBytes { (bytes: UnsafeRawBufferPointer) throws(BinaryDecodingError) in
        var reader = ByteReader(bytes)
        return try ValueCoding.read(slot.type.unwrapped, from: &reader)
      }
    } catch {
      throw malformed(error)
    }
  }

  private func run(
    _ rewrite: PlanRewrite, _ segment: PlanSegment
  ) throws(SchemaError) -> [Value]? {
    let old = try rewrite.old.map { (step) throws(SchemaError) in try value(of: step, segment) }
    let new = try rewrite.new.map { (step) throws(SchemaError) in try value(of: step, segment) }
    return try runner.rewrite(
      rewrite.closure, operationID: rewrite.operationID, transition: rewrite.transition, old: old,
      new: new)
  }

  private func emit(
    _ segment: PlanSegment, noting copied: inout CopiedRanges, to writer: inout ByteWriter
  ) throws(SchemaError) {
    let start = writer.count
    let bitmap = PresenceBitmap(optionalCount: plan.copies.optionalCount, appendingTo: &writer)
    let byteCountMaximum = plan.copies.byteCountMaximum(payload.count)
    for stretch in plan.copies.stretches {
      let written = writer.count - start
      writer.append(capacity: byteCountMaximum) { (room: UnsafeMutableRawBufferPointer) -> Int in
        let record = UnsafeMutableRawBufferPointer(
          start: room.baseAddress.map { $0 - written }, count: written + room.count)
        return plan.copies.write(
          stretch, payload, ranges, noting: &copied, to: record, written) - written
      }
      guard let member = stretch.value else { continue }
      let value = try value(of: member.step, segment)
      if let bit = member.presenceBit {
        if value.isNull { continue }
        bitmap.markPresent(bit, in: &writer)
      }
      try write(value, member, to: &writer)
    }
  }

  private func stored(_ member: Int) -> UnsafeRawBufferPointer? {
    ranges[member].map { UnsafeRawBufferPointer(rebasing: payload[$0]) }
  }

  private func write(
    _ value: Value, _ computed: PlanCopies.ComputedMember, to writer: inout ByteWriter
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
    of step: Int, _ segment: PlanSegment
  ) throws(SchemaError) -> Value {
    if let value = values[step] { return value }
    let result: Value
    switch segment.steps[step] {
    case .source(let index): result = if let record { record[index] } else { try decode(index) }
    case .constant(let value): result = value
    case .fill(let input, let fill):
      let value = try value(of: input, segment)
      result = value.isNull ? fill : value
    case .widen(let input, let from, let to):
      result = Widening.widen(try value(of: input, segment), from: from, to: to)
    case .transform(let input, let transform):
      result = try transform.apply(to: try value(of: input, segment), with: runner)
    case .compute(let computation): result = try self.result(of: computation, segment)
    }
    values.insert(result, for: step)
    return result
  }

  private func result(
    of computation: PlanComputation, _ segment: PlanSegment
  ) throws(SchemaError) -> Value {
    let inputs = try computation.inputs.map { (step) throws(SchemaError) in
      try value(of: step, segment)
    }
    return try runner.compute(
      computation.code, names: computation.names, values: inputs,
      type: computation.type, keepsNil: computation.keepsNil, operationID: computation.operationID)
  }

  private func decode(_ member: Int) throws(SchemaError) -> Value {
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
      throw malformed(error)
    }
  }

  private func malformed(_ error: BinaryDecodingError) -> SchemaError {
    plan.malformed(error, key: key, runner.committedAt)
  }
}
