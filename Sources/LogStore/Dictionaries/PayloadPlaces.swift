/// The last position of each slot of a hash table over a payload; memory is lent.
struct PayloadPlaces {
  static let count = 1 << slotCountLog2
  private static let slotCountLog2 = 10
  private static let none = UInt16.max

  private let slots: UnsafeMutablePointer<UInt16>

  /// Uses ``count`` numbers from `memory` on, which may hold anything.
  init(_ memory: UnsafeMutablePointer<UInt16>) {
    slots = memory
    slots.initialize(repeating: Self.none, count: Self.count)
  }

  /// Enters a position below 65,535 and returns the one that was in its slot before.
  @inline(__always)
  func replace(_ hash: UInt64, by position: Int) -> Int? {
    let slot = slots + Int(hash >> UInt64(64 - Self.slotCountLog2))
    let earlier = slot.pointee
    slot.pointee = UInt16(truncatingIfNeeded: position)
    return earlier == Self.none ? nil : Int(earlier)
  }
}
