/// What a group of commits takes, of the requests that are not decided.
struct GroupSize {
  /// Bytes of the frames at most: most have short headers.
  private(set) var byteCount = 0
  private(set) var recordCount = 0
  private(set) var commitCount = 0
  /// Bytes of the records.
  private(set) var recordByteCount = 0
  /// Bytes of the largest of them.
  private(set) var largestByteCount = 0
  /// Whether one of them must be durable before it is seen.
  private(set) var isSynchronized = false
  /// Whether one of them has records that need dictionaries.
  private(set) var needsDictionaries = false

  init(_ group: [CommitRequest]) {
    for request in group where !request.isDecided {
      let frame = FrameHeader.longByteCount + request.batch.byteCount
      byteCount += Int(FrameHeader.padded(UInt64(frame)))
      recordCount += request.batch.count
      commitCount += 1
      recordByteCount += request.batch.byteCount
      largestByteCount = max(largestByteCount, request.batch.byteCount)
      if request.durability == .full { isSynchronized = true }
      if !request.batch.dictionaryUses.isEmpty { needsDictionaries = true }
    }
  }

  /// Whether they need not be published before somebody looks.
  var mayLag: Bool { !isSynchronized && recordCount <= PublicationLag.recordCountMaximum }

  /// Whether commits like these spend most of their time on synchronizing.
  var isBoundBySynchronizing: Bool { isSynchronized && byteCount <= Self.smallByteCountMaximum }

  /// Whether the disk can do a part of its work while the records are applied.
  var isWorthStarting: Bool { isSynchronized && byteCount > Self.smallByteCountMaximum }

  private static let smallByteCountMaximum = 16 << 10
}
