internal import BinaryCoding

/// The fused upgrade of one record.
struct PlanRun {
  private let plan: UpgradePlan
  private let payload: UnsafeRawBufferPointer
  private let runner: StepRunner
  /// Where the stored members lie in the payload.
  private var ranges = MemberRanges(memberCount: 0)
  /// The record that entered the current segment; nil in the first, which reads the payload.
  private var record: [Value]?
  /// The values of the current segment's steps that were computed so far.
  private let values: UnsafeMutableBufferPointer<Value?>

  private var key: UnsafeRawBufferPointer { runner.key }

  /// `values` has room for the steps of each segment and holds nothing yet; the caller keeps it.
  init(
    plan: UpgradePlan, payload: UnsafeRawBufferPointer,
    values: UnsafeMutableBufferPointer<Value?>, runner: StepRunner
  ) {
    self.plan = plan
    self.payload = payload
    self.values = values
    self.runner = runner
  }

  mutating func upgrade(to writer: inout ByteWriter) throws(SchemaError) -> StepOutcome {
    ranges = try plan.ranges(in: payload, key: key, runner.committedAt)
    for segment in plan.segments {
      if try drops(segment) { return .drop }
      switch segment.end {
      case .rewrite(let rewrite):
        guard let next = try run(rewrite, segment) else { return .drop }
        record = next
        for step in segment.steps.indices { values[step] = nil }
      case .record:
        try emit(segment, to: &writer)
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
    ranges = try plan.ranges(in: payload, key: key, runner.committedAt)
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
    _ segment: PlanSegment, to writer: inout ByteWriter
  ) throws(SchemaError) {
    let layout = plan.target.layout
    let bitmap = PresenceBitmap(optionalCount: layout.optionalCount, appendingTo: &writer)
    for index in plan.emissions.indices {
      let isPresent = try emit(index, segment, to: &writer)
      if isPresent, let bit = layout.slots[index].presenceBit {
        bitmap.markPresent(bit, in: &writer)
      }
    }
  }

  /// Appends the bytes of one member; false when it is nil and has none.
  private func emit(
    _ index: Int, _ segment: PlanSegment, to writer: inout ByteWriter
  ) throws(SchemaError) -> Bool {
    switch plan.emissions[index] {
    case .absent:
      return false
    case .copy(let member):
      guard let bytes = stored(member) else { return false }
      writer.writeBytes(bytes)
    case .copyOrBytes(let member, let constant):
      if let bytes = stored(member) {
        writer.writeBytes(bytes)
      } else {
        writer.writeBytes(constant)
      }
    case .bytes(let constant):
      writer.writeBytes(constant)
    case .value(let step):
      let value = try value(of: step, segment)
      if value.isNull, plan.target.layout.slots[index].presenceBit != nil { return false }
      try write(value, plan.target.layout.slots[index], to: &writer)
    }
    return true
  }

  private func stored(_ member: Int) -> UnsafeRawBufferPointer? {
    ranges[member].map { UnsafeRawBufferPointer(rebasing: payload[$0]) }
  }

  private func write(
    _ value: Value, _ slot: PayloadLayout.Slot, to writer: inout ByteWriter
  ) throws(SchemaError) {
    do throws(ValueCoding.Problem) {
      try ValueCoding.write(value, as: slot.type, to: &writer)
    } catch {
      let member = plan.target.members[slot.memberIndex].name
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
    values[step] = result
    return result
  }

  private func result(
    of computation: PlanComputation, _ segment: PlanSegment
  ) throws(SchemaError) -> Value {
    let inputs = try computation.inputs.map { (step) throws(SchemaError) in
      try value(of: step, segment)
    }
    return try runner.compute(
      computation.computation, names: computation.names, values: inputs,
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
