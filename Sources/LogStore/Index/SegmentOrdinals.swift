/// Which of the segments of a merged run each of its values lies in.
///
/// The places that were looked up last are remembered: neighbouring keys lie in few segments.
struct SegmentOrdinals: ~Copyable {
  private struct Known {
    var identifier: UInt32
    var ordinal: UInt32
  }

  /// In ascending order.
  private let segments: [SegmentIdentifier]
  private let known: UnsafeMutablePointer<Known>
  private static let knownCount = 256
  /// Of no segment that exists.
  private static let none = UInt32.max

  init(_ segments: [SegmentIdentifier]) {
    self.segments = segments
    known = .allocate(capacity: Self.knownCount)
    known.initialize(
      repeating: Known(identifier: Self.none, ordinal: 0), count: Self.knownCount)
  }

  deinit { known.deallocate() }

  /// The position of a segment, which must be one of them.
  @inline(__always)
  func ordinal(of segment: SegmentIdentifier) -> UInt32 {
    let place = known + Int(segment.rawValue & UInt32(Self.knownCount - 1))
    if place.pointee.identifier == segment.rawValue { return place.pointee.ordinal }
    let found = search(for: segment)
    place.pointee = Known(identifier: segment.rawValue, ordinal: found)
    return found
  }

  private func search(for segment: SegmentIdentifier) -> UInt32 {
    var low = 0
    var high = segments.count
    while low < high {
      let middle = (low + high) >> 1
      if segments[middle] < segment { low = middle + 1 } else { high = middle }
    }
    precondition(
      low < segments.count && segments[low] == segment, "a merge reads its own segments only")
    return UInt32(low)
  }
}
