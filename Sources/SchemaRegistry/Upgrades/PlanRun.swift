internal import BinaryCoding

/// The fused upgrade of one record.
struct PlanRun {
  private let plan: UpgradePlan
  private let payload: UnsafeRawBufferPointer
  private let key: UnsafeRawBufferPointer
  private let committedAt: UInt64
  private let timing: StepTiming?
  /// Made when the first step runs, as most plans copy bytes and run none.
  private var stepRunner: StepRunner?
  /// Where the stored members lie in the payload.
  private var ranges = MemberRanges(memberCount: 0)
  /// The record that entered the current segment; nil in the first, which reads the payload.
  private var record: [Value]?
  /// The values of the current segment's steps that were computed so far; empty before the first,
  /// as most plans copy bytes and compute none.
  private var values: [Value?] = []

  init(
    plan: UpgradePlan, payload: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer,
    committedAt: UInt64, timing: StepTiming?
  ) {
    self.plan = plan
    self.payload = payload
    self.key = key
    self.committedAt = committedAt
    self.timing = timing
  }

  private mutating func runner() -> StepRunner {
    if let stepRunner { return stepRunner }
    let made = plan.runner(key: Array(key), committedAt: committedAt, timing: timing)
    stepRunner = made
    return made
  }

  mutating func upgrade(to writer: inout ByteWriter) throws(SchemaError) -> StepOutcome {
    ranges = try plan.ranges(in: payload, key: key, committedAt)
    for segment in plan.segments {
      values = []
      for drop in segment.drops where try result(of: drop, segment.steps) == .bool(true) {
        return .drop
      }
      switch segment.end {
      case .rewrite(let rewrite):
        guard let next = try run(rewrite, segment.steps) else { return .drop }
        record = next
      case .record:
        try emit(segment.steps, to: &writer)
      }
    }
    return .keep
  }

  /// What one member of the target would hold; nothing when the record is dropped. Only for plans
  /// of one segment.
  mutating func value(
    of emission: PlanEmission, _ slot: PayloadLayout.Slot
  ) throws(SchemaError) -> Value? {
    ranges = try plan.ranges(in: payload, key: key, committedAt)
    let segment = plan.segments[0]
    for drop in segment.drops where try result(of: drop, segment.steps) == .bool(true) {
      return nil
    }
    switch emission {
    case .absent: return .null
    case .copy(let index): return try decode(index)
    case .copyOrBytes(let index, let constant):
      return stored(index) == nil ? try decode(constant, slot) : try decode(index)
    case .bytes(let constant): return try decode(constant, slot)
    case .value(let step): return try value(of: step, segment.steps)
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

  private mutating func run(
    _ rewrite: PlanRewrite, _ steps: [PlanStep]
  ) throws(SchemaError) -> [Value]? {
    var old: [Value] = []
    for step in rewrite.old { old.append(try value(of: step, steps)) }
    var new: [Value] = []
    for step in rewrite.new { new.append(try value(of: step, steps)) }
    return try runner().rewrite(
      rewrite.closure, operationID: rewrite.operationID, transition: rewrite.transition, old: old,
      new: new)
  }

  private mutating func emit(
    _ steps: [PlanStep], to writer: inout ByteWriter
  ) throws(SchemaError) {
    let layout = plan.target.layout
    let bitmap = PresenceBitmap(optionalCount: layout.optionalCount, appendingTo: &writer)
    for (slot, emission) in zip(layout.slots, plan.emissions) {
      let isPresent = try emit(emission, slot, steps, to: &writer)
      if isPresent, let bit = slot.presenceBit { bitmap.markPresent(bit, in: &writer) }
    }
  }

  /// Appends the bytes of one member; false when it is nil and has none.
  private mutating func emit(
    _ emission: PlanEmission, _ slot: PayloadLayout.Slot, _ steps: [PlanStep],
    to writer: inout ByteWriter
  ) throws(SchemaError) -> Bool {
    switch emission {
    case .absent:
      return false
    case .copy(let index):
      guard let bytes = stored(index) else { return false }
      writer.writeBytes(bytes)
    case .copyOrBytes(let index, let constant):
      if let bytes = stored(index) {
        writer.writeBytes(bytes)
      } else {
        writer.writeBytes(constant)
      }
    case .bytes(let constant):
      writer.writeBytes(constant)
    case .value(let step):
      let value = try value(of: step, steps)
      if value.isNull, slot.presenceBit != nil { return false }
      try write(value, slot, to: &writer)
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

  private mutating func value(of step: Int, _ steps: [PlanStep]) throws(SchemaError) -> Value {
    if values.isEmpty { values = [Value?](repeating: nil, count: steps.count) }
    if let value = values[step] { return value }
    let result: Value
    switch steps[step] {
    case .source(let index): result = if let record { record[index] } else { try decode(index) }
    case .constant(let value): result = value
    case .fill(let input, let fill):
      let value = try value(of: input, steps)
      result = value.isNull ? fill : value
    case .widen(let input, let from, let to):
      result = Widening.widen(try value(of: input, steps), from: from, to: to)
    case .transform(let input, let transform):
      result = try transform.apply(to: try value(of: input, steps), with: runner())
    case .compute(let computation): result = try self.result(of: computation, steps)
    }
    values[step] = result
    return result
  }

  private mutating func result(
    of computation: PlanComputation, _ steps: [PlanStep]
  ) throws(SchemaError) -> Value {
    var inputs: [Value] = []
    for input in computation.inputs { inputs.append(try value(of: input.step, steps)) }
    return try runner().compute(
      computation.computation, names: computation.inputs.map(\.name), values: inputs,
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
    plan.malformed(error, key: key, committedAt)
  }
}
