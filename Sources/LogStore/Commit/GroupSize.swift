/// What a group of commits takes, of the requests that are not decided.
struct GroupSize {
  /// Bytes of the frames at most: most have short headers.
  private(set) var byteCount = 0
  private(set) var recordCount = 0
  private var isSynchronized = false

  init(_ group: [CommitRequest]) {
    for request in group where !request.isDecided {
      let frame = FrameHeader.longByteCount + request.batch.byteCount
      byteCount += Int(FrameHeader.padded(UInt64(frame)))
      recordCount += request.batch.count
      if request.durability == .full { isSynchronized = true }
    }
  }

  /// Whether commits like these spend most of their time on synchronizing.
  var isBoundBySynchronizing: Bool { isSynchronized && byteCount <= Self.smallByteCountMaximum }

  /// Whether the disk can do a part of its work while the records are applied.
  var isWorthStarting: Bool { isSynchronized && byteCount > Self.smallByteCountMaximum }

  private static let smallByteCountMaximum = 16 << 10
}
