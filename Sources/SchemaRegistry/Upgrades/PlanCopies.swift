internal import BinaryCoding

/// What a plan writes: stretches of members that are bytes of the source, constants or absent, with
/// a computed value behind each but the last.
///
/// Most plans compute nothing: then this is how they run. ``PlanRun`` runs the others. A class, as
/// each record would count references to what it holds else.
final class PlanCopies: Sendable {
  /// Members that are copied, and the value that follows them; nothing behind the last ones.
  struct Stretch: Sendable {
    fileprivate let copies: Range<Int>
    let value: ComputedMember?
  }

  /// A member whose value a step computes. A class, with what it takes from the shape: threads have
  /// plans of their own, but share shapes.
  final class ComputedMember: Sendable {
    let step: Int
    /// Where the member is in the target.
    let memberIndex: Int
    let type: FieldType
    let presenceBit: Int?

    init(step: Int, _ slot: PayloadLayout.Slot) {
      self.step = step
      memberIndex = slot.memberIndex
      type = slot.type
      presenceBit = slot.presenceBit
    }
  }

  /// Where one member's bytes come from, in payload order.
  private struct Copy: Sendable {
    /// The member of the source, or -1.
    let member: Int
    /// Bytes of `constants` where the source has none; nothing when the member is absent then.
    let constant: Range<Int>?
    /// The bit in the target's presence bitmap, or -1.
    let presenceBit: Int
  }

  let stretches: [Stretch]
  /// Whether nothing is computed, and no record goes.
  let isAll: Bool
  private let copies: [Copy]
  private let constants: [UInt8]
  /// How many members of the target have a presence bit.
  let optionalCount: Int
  private let bitmapByteCount: Int
  /// How often a member is copied at most.
  private let repetitionCount: Int

  init(_ emissions: [PlanEmission], segments: [PlanSegment], layout: PayloadLayout) {
    optionalCount = layout.optionalCount
    bitmapByteCount = PresenceBitmap.byteCount(optionalCount: layout.optionalCount)
    var stretches: [Stretch] = []
    var copies: [Copy] = []
    var constants: [UInt8] = []
    var start = 0
    // By the source's member. An array: the runtime takes long to make its first hash table.
    var repetitions: [Int] = []
    for (slot, emission) in zip(layout.slots, emissions) {
      var member = -1
      var constant: Range<Int>?
      switch emission {
      case .absent: break
      case .copy(let index): member = index
      case .copyOrBytes(let index, let bytes):
        member = index
        constant = Self.add(bytes, to: &constants)
      case .bytes(let bytes): constant = Self.add(bytes, to: &constants)
      case .value(let step):
        stretches.append(
          Stretch(copies: start..<copies.count, value: ComputedMember(step: step, slot)))
        start = copies.count
        continue
      }
      if member >= 0 {
        if member >= repetitions.count {
          repetitions += repeatElement(0, count: member + 1 - repetitions.count)
        }
        repetitions[member] += 1
      }
      copies.append(
        Copy(member: member, constant: constant, presenceBit: slot.presenceBit ?? -1))
    }
    stretches.append(Stretch(copies: start..<copies.count, value: nil))
    self.stretches = stretches
    self.copies = copies
    self.constants = constants
    repetitionCount = repetitions.max() ?? 0
    isAll = stretches.count == 1 && segments.count == 1 && segments[0].drops.isEmpty
  }

  private static func add(_ bytes: [UInt8], to constants: inout [UInt8]) -> Range<Int> {
    constants += bytes
    return (constants.count - bytes.count)..<constants.count
  }

  /// The most bytes that a payload of `byteCount` bytes becomes, but for what is computed.
  func byteCountMaximum(_ byteCount: Int) -> Int {
    bitmapByteCount + constants.count + repetitionCount * byteCount
  }

  /// Writes the payload whose members lie in `ranges` in its new form to `target`, which has room
  /// for ``byteCountMaximum(_:)``; returns how many bytes that are. `copied` notes which of them
  /// are the payload's. Only where that is all.
  func write(
    _ payload: UnsafeRawBufferPointer, _ ranges: MemberRanges, noting copied: inout CopiedRanges,
    to target: UnsafeMutableRawBufferPointer
  ) -> Int {
    for index in 0..<bitmapByteCount { target[index] = 0 }
    return write(0, payload, ranges, noting: &copied, to: target, bitmapByteCount)
  }

  /// Writes the members of the stretch `number` to `target`, where a record begins of which
  /// `byteCount` bytes are written; returns how many are then.
  func write(
    _ number: Int, _ payload: UnsafeRawBufferPointer, _ ranges: MemberRanges,
    noting copied: inout CopiedRanges, to target: UnsafeMutableRawBufferPointer, _ byteCount: Int
  ) -> Int {
    var end = byteCount
    // Members that are neighbours before and after are copied together.
    var start = 0
    var length = 0
    for index in stretches[number].copies {
      let copy = copies[index]
      if copy.member >= 0, let range = ranges[copy.member] {
        if range.lowerBound != start + length {
          copied.note(end, from: start, count: length)
          Self.copy(payload, start, length, to: target, &end)
          start = range.lowerBound
          length = 0
        }
        length += range.count
      } else if let constant = copy.constant {
        copied.note(end, from: start, count: length)
        Self.copy(payload, start, length, to: target, &end)
        length = 0
        constants.withUnsafeBytes {
          Self.copy($0, constant.lowerBound, constant.count, to: target, &end)
        }
      } else {
        continue
      }
      if copy.presenceBit >= 0 {
        // Not `|=`: see PresenceBitmap.
        let place = copy.presenceBit >> 3
        target[place] = target[place] | 1 << UInt8(copy.presenceBit & 7)
      }
    }
    copied.note(end, from: start, count: length)
    Self.copy(payload, start, length, to: target, &end)
    return end
  }

  @inline(__always)
  private static func copy(
    _ source: UnsafeRawBufferPointer, _ start: Int, _ length: Int,
    to target: UnsafeMutableRawBufferPointer, _ end: inout Int
  ) {
    guard length > 0 else { return }
    UnsafeMutableRawBufferPointer(rebasing: target[end...]).copyMemory(
      from: UnsafeRawBufferPointer(rebasing: source[start..<(start + length)]))
    end += length
  }
}
