internal import BinaryCoding

/// A fused plan that runs no step: each member of the target is bytes of the source, a constant, or
/// absent. Most plans are, and this is how they run; ``PlanRun`` does the same for any plan.
struct PlanCopies: Sendable {
  /// Where one member's bytes come from, in payload order.
  private struct Copy: Sendable {
    /// The member of the source, or -1.
    let member: Int
    /// Bytes of `constants` where the source has none; nothing when the member is absent then.
    let constant: Range<Int>?
    /// The bit in the target's presence bitmap, or -1.
    let presenceBit: Int
  }

  private var copies: [Copy] = []
  private var constants: [UInt8] = []
  private let bitmapByteCount: Int

  /// Nothing when a member's value has to be computed.
  init?(_ emissions: [PlanEmission], segments: [PlanSegment], layout: PayloadLayout) {
    guard segments.count == 1, segments[0].drops.isEmpty else { return nil }
    bitmapByteCount = PresenceBitmap.byteCount(optionalCount: layout.optionalCount)
    for (slot, emission) in zip(layout.slots, emissions) {
      var member = -1
      var constant: Range<Int>?
      switch emission {
      case .absent: break
      case .copy(let index): member = index
      case .copyOrBytes(let index, let bytes):
        member = index
        constant = add(bytes)
      case .bytes(let bytes): constant = add(bytes)
      case .value: return nil
      }
      copies.append(
        Copy(member: member, constant: constant, presenceBit: slot.presenceBit ?? -1))
    }
  }

  private mutating func add(_ bytes: [UInt8]) -> Range<Int> {
    constants += bytes
    return (constants.count - bytes.count)..<constants.count
  }

  /// The most bytes that a payload of `byteCount` bytes becomes.
  func byteCountMaximum(_ byteCount: Int) -> Int {
    bitmapByteCount + constants.count + byteCount
  }

  /// Writes the payload whose members lie in `ranges` in its new form to `target`, which has room
  /// for ``byteCountMaximum(_:)``; returns how many bytes that are.
  func write(
    _ payload: UnsafeRawBufferPointer, _ ranges: MemberRanges,
    to target: UnsafeMutableRawBufferPointer
  ) -> Int {
    for index in 0..<bitmapByteCount { target[index] = 0 }
    var end = bitmapByteCount
    // Members that are neighbours before and after are copied together.
    var start = 0
    var length = 0
    for copy in copies {
      if copy.member >= 0, let range = ranges[copy.member] {
        if range.lowerBound != start + length {
          Self.copy(payload, start, length, to: target, &end)
          start = range.lowerBound
          length = 0
        }
        length += range.count
      } else if let constant = copy.constant {
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
