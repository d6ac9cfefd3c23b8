/// The last position of each slot of a hash table over a payload; memory is lent.
struct PayloadPlaces {
  static let slotCountMaximum = 1 << slotCountLog2Maximum
  private static let slotCountLog2Maximum = 10
  private static let slotCountLog2Minimum = 6
  private static let none = UInt16.max

  private let slots: UnsafeMutablePointer<UInt16>
  /// By how many bits a hash is shifted to name a slot.
  private let shift: UInt64

  /// Uses numbers from `memory` on, at least twice as many as a payload of `byteCount` bytes has
  /// positions, but ``slotCountMaximum`` at most; they may hold anything.
  init(_ memory: UnsafeMutablePointer<UInt16>, payloadByteCount byteCount: Int) {
    let log2 = min(
      max(Int.bitWidth - byteCount.leadingZeroBitCount + 1, Self.slotCountLog2Minimum),
      Self.slotCountLog2Maximum)
    slots = memory
    shift = UInt64(64 - log2)
    slots.initialize(repeating: Self.none, count: 1 << log2)
  }

  /// Enters a position below 65,535 and returns the one that was in its slot before.
  @inline(__always)
  func replace(_ hash: UInt64, by position: Int) -> Int? {
    let slot = slots + Int(hash >> shift)
    let earlier = slot.pointee
    slot.pointee = UInt16(truncatingIfNeeded: position)
    return earlier == Self.none ? nil : Int(earlier)
  }
}
