internal import FileIO

/// Writes groups of commits into the active segment and applies their records.
///
/// A class that is kept from group to group as long as what it refers to stays: what it reaches
/// through itself is not counted for each commit. Used under the writer's lock.
final class GroupWriter {
  private let segment: SegmentWriter
  private let applier: ChangeApplier
  /// The store's, for checksums.
  private let seed: UInt64
  private let hasShortFrames: Bool
  /// Of the group that is being written; empty otherwise. The memory is used again.
  @exclusivity(unchecked) private var frames: [SegmentWriter.Frame] = []
  private static let keptFrameCountMaximum = 64

  init(
    _ segment: SegmentWriter, _ applier: ChangeApplier, store: StoreIdentifier,
    hasShortFrames: Bool
  ) {
    self.segment = segment
    self.applier = applier
    seed = store.checksumSeed
    self.hasShortFrames = hasShortFrames
  }

  /// What was written of a group.
  struct Written {
    var commitCount = 0
    var recordCount = 0
    /// Bytes of the records.
    var byteCount = 0
    var lastSequence: CommitSequence
    /// The last record that must be durable before it is seen, if there is one.
    var promisedSequence: CommitSequence?
  }

  /// Writes those of a group that are not decided, behind the records up to `lastSequence`.
  ///
  /// `size` is the group's, `claimed` is how far those are durable. A write that fails leaves
  /// everything as it was.
  func write(
    _ group: [CommitRequest], _ size: GroupSize, after lastSequence: CommitSequence,
    claimed: CommitSequence
  ) throws(FileIOError) -> Written {
    var written = Written(lastSequence: lastSequence)
    // They point into the batches.
    defer { frames.removeAll(keepingCapacity: frames.count <= Self.keptFrameCountMaximum) }
    makeFrames(of: group, &written, claimed)
    if frames.isEmpty { return written }
    let offset = try segment.append(
      frames, durableSequence: claimed,
      extending: size.isBoundBySynchronizing ? .zeroing : .reserving)
    if size.isWorthStarting { segment.startWritingAll() }
    apply(group, at: offset, &written)
    if written.promisedSequence == nil { segment.startWriting() }
    // What cannot be looked up now is tried again before the totals are written.
    if applier.replacements.areDue { applier.settleReplacements() }
    return written
  }

  /// Numbers the records of the requests, and makes a frame of each.
  private func makeFrames(
    of group: [CommitRequest], _ written: inout Written, _ claimed: CommitSequence
  ) {
    var sequence = written.lastSequence
    for request in group where !request.isDecided {
      var frame = request.batch.number(after: sequence, seed: seed, flags: [.lastOfCommit])
      if hasShortFrames { frame.form = segment.form(of: frame, durableSequence: claimed) }
      frames.append(frame)
      written.commitCount += 1
      written.recordCount += frame.recordCount
      written.byteCount += frame.body.count
      sequence = CommitSequence(sequence.rawValue + UInt64(frame.recordCount))
    }
  }

  /// Applies the records of the requests, whose frames were written from `offset` on.
  private func apply(_ group: [CommitRequest], at offset: UInt64, _ written: inout Written) {
    var offset = offset
    var index = 0
    for request in group where !request.isDecided {
      let frame = frames[index]
      let last = applier.apply(
        request.batch, bodyOffset: offset + UInt64(frame.form.byteCount),
        after: written.lastSequence)
      written.lastSequence = last
      offset += frame.paddedByteCount
      index += 1
      request.sequence = last
      if request.durability == .full { written.promisedSequence = last }
    }
  }
}
