internal import FileIO

/// How much room compaction needs. Called under the pipeline's lock.
extension CommitPipeline {
  /// What the reserve is to hold: a segment as they are now, written anew, and the index of the open
  /// one; and an eighth for the deletions that come before.
  var compactionByteCount: UInt64 {
    let target = segmentByteCountTarget
    return max(target + target / 8 + 2 * indexByteCount(forSegmentOf: target), target + target / 4)
  }

  /// The index of a segment with so many bytes of records, where it takes as much as in any.
  private func indexByteCount(forSegmentOf byteCount: UInt64) -> UInt64 {
    var index: UInt64 = 0
    for account in accounts.values where account.descriptor.dataEnd >= byteCount / 2 {
      let share = Double(byteCount) / Double(account.descriptor.dataEnd)
      index = max(index, UInt64(Double(account.indexByteCount) * share))
    }
    return index
  }

  /// What a compaction needs when `changeCount` changes were made.
  ///
  /// It writes those segments anew first that take the least, and each gives back what is dead in
  /// it, until that is as much as the reserve has. So it needs what the one takes for which it has
  /// the least, of those that the reserve has room for at all. Segments of which nothing is dead yet
  /// count: they stand for what they will be.
  func compactionRoom(behind changeCount: Int) -> CompactionRoom {
    measureIndexes()
    let target = segmentByteCountTarget
    let reserved = min(compactionByteCount, configuration.diskReserveByteCountMaximum)
    let others = indexByteCount(forSegmentOf: target) + target / 16
    let limit = reserved - min(reserved, others)
    var steps: [(output: UInt64, gain: UInt64, segment: SegmentIdentifier)] = []
    var share: UInt64 = 0
    for account in accounts.values where account.descriptor.isSealed {
      let (descriptor, index) = (account.descriptor, account.indexByteCount)
      if descriptor.recordCount >= 64 { share = max(share, index / descriptor.recordCount + 1) }
      let (output, present) = (account.outputByteCount, descriptor.dataEnd + index)
      if output > limit { continue }
      steps.append((output, present - min(present, output), descriptor.identifier))
    }
    steps.sort { $0.output < $1.output }
    var room = CompactionRoom(
      outputByteCount: 0,
      indexByteCount: UInt64(table.count + changeCount)
        * (share == 0 ? SegmentAccount.indexShare : share) + 4096)
    var gain: UInt64 = 0
    for step in steps {
      if gain >= reserved { break }
      room.outputByteCount = max(room.outputByteCount, step.output - min(step.output, gain))
      if room.smallest == nil, step.gain > 0 { room.smallest = step.segment }
      gain += step.gain
    }
    return room
  }

  /// Notes for which segments a compaction found no room, so that deletions do not wait for it.
  func note(withoutRoom segments: [SegmentIdentifier]) {
    guard let smallest = compactionRoom(behind: 0).smallest, segments.contains(smallest) else {
      return
    }
    reserve.note(isTooSmall: true)
  }

  /// Looks how large the indexes of sealed segments are; it opens those that were not looked at yet.
  func measureIndexes() {
    for account in accounts.values where account.needsMeasuring {
      let descriptor = account.descriptor
      do throws(FileIOError) {
        let file = try directory.open(StoreDirectory.segment(descriptor.identifier), .read)
        let end = try file.size()
        account.measuredIndexByteCount = end - min(end, descriptor.dataEnd)
      } catch { account.measuredIndexByteCount = nil }
    }
  }
}
