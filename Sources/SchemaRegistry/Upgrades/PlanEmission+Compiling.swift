internal import BinaryCoding

extension PlanEmission {
  /// How every slot of `target` gets its bytes, in slot order.
  static func all(
    of segments: [PlanSegment], source: TypeShape, target: TypeShape
  ) throws(SchemaError) -> [PlanEmission] {
    guard let last = segments.last, last.rewrite == nil else {
      preconditionFailure("a compiled plan ends with the target's members")
    }
    // Only the first segment has the stored bytes at hand.
    let stored = segments.count == 1 ? source : nil
    var result: [PlanEmission] = []
    for slot in target.layout.slots {
      result.append(
        try emission(
          of: last.members[slot.memberIndex], in: last.steps, to: slot, stored: stored, target))
    }
    return result
  }

  private static func emission(
    of step: Int, in steps: [PlanStep], to slot: PayloadLayout.Slot, stored: TypeShape?,
    _ target: TypeShape
  ) throws(SchemaError) -> PlanEmission {
    let type = slot.type
    switch steps[step] {
    case .constant(let value):
      if !value.isNull { return .bytes(try encoded(value, as: type, target.name)) }
      guard slot.presenceBit != nil else {
        // A history that was checked has no such step; without the bytes no record could be read.
        throw .invalidValue(
          type: target.name, member: target.members[slot.memberIndex].name,
          reason: "it is required, and nothing gives older records a value")
      }
      return .absent
    case .source(let index):
      // Never the key: it is no slot, and nothing but its own member can come from it.
      if let stored, canCopy(stored.members[index].type.unwrapped, to: type) {
        return .copy(index)
      }
    case .fill(let input, let value):
      if case .source(let index) = steps[input], let stored,
        canCopy(stored.members[index].type.unwrapped, to: type)
      {
        return .copyOrBytes(index, try encoded(value, as: type, target.name))
      }
    case .widen, .transform, .compute:
      break
    }
    return .value(step)
  }

  private static func encoded(
    _ value: Value, as type: FieldType, _ typeName: String
  ) throws(SchemaError) -> [UInt8] {
    var writer = ByteWriter()
    do throws(ValueCoding.Problem) {
      try ValueCoding.write(value, as: type, to: &writer)
    } catch {
      throw .invalidValue(type: typeName, member: error.path, reason: error.reason)
    }
    return writer.array()
  }

  /// Whether a value of `old` has the same bytes as a value of `new`.
  private static func canCopy(_ old: FieldType, to new: FieldType) -> Bool {
    (old == .int32 && new == .int64) || hasSameBytes(old, new)
  }

  private static func hasSameBytes(_ old: FieldType, _ new: FieldType) -> Bool {
    switch (old, new) {
    case (.optional(let old), .optional(let new)), (.list(let old), .list(let new)),
      (.dictionary(let old), .dictionary(let new)):
      hasSameBytes(old, new)
    case (.object(let old), .object(let new)):
      old.count == new.count
        && zip(old, new).allSatisfy { $0.name == $1.name && hasSameBytes($0.type, $1.type) }
    default:
      old == new
    }
  }

  /// Whether the emissions copy every payload byte for byte.
  static func isIdentity(
    _ emissions: [PlanEmission], source: TypeShape, target: TypeShape
  ) -> Bool {
    let slots = source.layout.slots
    guard slots.count == emissions.count else { return false }
    return zip(zip(slots, target.layout.slots), emissions).allSatisfy { slots, emission in
      guard case .copy(let index) = emission, index == slots.0.memberIndex else { return false }
      return (slots.0.presenceBit == nil) == (slots.1.presenceBit == nil)
    }
  }
}
