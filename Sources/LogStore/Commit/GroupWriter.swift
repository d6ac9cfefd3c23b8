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

  /// Writes those of a group that are not decided, behind the records up to `lastSequence`; returns
  /// where.
  ///
  /// `size` is the group's, `claimed` is how far those are durable. A write that fails leaves
  /// everything as it was.
  func append(
    _ group: [CommitRequest], _ size: GroupSize, after lastSequence: CommitSequence,
    claimed: CommitSequence
  ) throws(FileIOError) -> UInt64 {
    precondition(frames.isEmpty, "a group must be applied before the next one is appended")
    makeFrames(of: group, after: lastSequence, claimed)
    do throws(FileIOError) {
      let offset = try segment.append(
        frames, durableSequence: claimed,
        extending: size.isBoundBySynchronizing ? .zeroing : .reserving)
      if size.isWorthStarting { segment.startWritingAll() }
      return offset
    } catch {
      forgetFrames()
      throw error
    }
  }

  /// Numbers the records of the requests, and makes a frame of each.
  private func makeFrames(
    of group: [CommitRequest], after lastSequence: CommitSequence, _ claimed: CommitSequence
  ) {
    var sequence = lastSequence
    for request in group where !request.isDecided {
      var frame = request.batch.number(after: sequence, seed: seed, flags: [.lastOfCommit])
      if hasShortFrames { frame.form = segment.form(of: frame, durableSequence: claimed) }
      frames.append(frame)
      sequence = CommitSequence(sequence.rawValue + UInt64(frame.recordCount))
    }
  }

  /// They point into the batches.
  private func forgetFrames() {
    frames.removeAll(keepingCapacity: frames.count <= Self.keptFrameCountMaximum)
  }

  /// Applies the records of the requests whose frames were written from `offset` on; returns the
  /// last one, and the last one that must be durable before it is seen, if there is one.
  func apply(
    _ group: [CommitRequest], from offset: UInt64, after lastSequence: CommitSequence
  ) -> (last: CommitSequence, promised: CommitSequence?) {
    var offset = offset
    var last = lastSequence
    var promised: CommitSequence?
    var index = 0
    for request in group where !request.isDecided {
      let frame = frames[index]
      last = applier.apply(
        request.batch, bodyOffset: offset + UInt64(frame.form.byteCount), after: last)
      offset += frame.paddedByteCount
      index += 1
      request.sequence = last
      if request.durability == .full { promised = last }
    }
    forgetFrames()
    return (last, promised)
  }

  /// Does what a group leaves to be done after it was applied.
  func finish(_ size: GroupSize) {
    if !size.isSynchronized { segment.startWriting() }
    // What cannot be looked up now is tried again before the totals are written.
    if applier.replacements.areDue { applier.lookUpReplacements() }
  }
}
