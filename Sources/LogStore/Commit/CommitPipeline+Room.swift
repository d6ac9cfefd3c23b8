internal import FileIO

/// How much room compaction needs. Called under the pipeline's lock.
extension CommitPipeline {
  /// What the reserve is to hold: a segment as they are now, written anew, and the index of the
  /// open one; what a compaction takes beside that; and a quarter for deletions that come before.
  /// But no more than the store itself takes.
  var compactionByteCount: UInt64 {
    let indexes = accounts.values.reduce(UInt64(0)) { sum, account in
      account.descriptor.isSealed ? sum + account.indexByteCount : sum
    }
    return min(wholeByteCount, storeByteCount + indexes)
  }

  /// What it takes now to write the largest segment anew, with the index of another.
  var rewriteByteCount: UInt64 {
    var (segment, index) = (active?.writer.end ?? needsRepair?.end ?? 0, UInt64(0))
    for account in accounts.values where account.descriptor.isSealed {
      segment = max(segment, account.descriptor.dataEnd + account.indexByteCount)
      index = max(index, account.indexByteCount)
    }
    return segment + index + besideByteCount(segmentByteCountTarget)
  }

  private var wholeByteCount: UInt64 {
    let target = segmentByteCountTarget
    let index = indexByteCount(forSegmentOf: target)
    return target + target / 4 + 2 * index + besideByteCount(target)
  }

  /// What manifests, room ahead in files, and what is not counted take while a compaction runs.
  private func besideByteCount(_ target: UInt64) -> UInt64 {
    // The next one lies beside the last one, and a copy of it at the end of an output.
    let manifests = 2 * max(manifestByteCount, UInt64(manifest.segments.count) * 128)
    return min(128 << 10, target / 8) + manifests
  }

  /// The index of a segment with so many bytes of records, where it takes as much as in any.
  private func indexByteCount(forSegmentOf byteCount: UInt64) -> UInt64 {
    var index: UInt64 = 0
    for account in accounts.values where account.descriptor.isSealed {
      let (descriptor, dataEnd) = (account.descriptor, account.descriptor.dataEnd)
      // Segments of deletions are mostly index.
      if dataEnd < byteCount / 2 || descriptor.tombstoneCount > descriptor.recordCount / 2 {
        continue
      }
      let share = Double(account.indexByteCount) / Double(dataEnd)
      index = max(index, UInt64(min(share, 4) * Double(byteCount)))
    }
    return index
  }

  /// The index of the open segment when it has so many bytes of keys, of which so many lie in the
  /// directory once more, at most.
  private func indexByteCount(
    ofOpenKeys keyByteCount: Int, again: Int, count: Int, collectionCount: Int
  ) -> UInt64 {
    // Each collection has pages of its own; those of a few take no more than is added in any case.
    let pageCount = max(0, collectionCount - 32)
    let ofPages = pageCount * (48 + keyByteCount / max(1, count))
    // Not even where each key has a page of its own is it more: see `MemoryTable.indexByteCount`.
    let directory = min(again, keyByteCount + 48 * count)
    return UInt64(keyByteCount + directory + 16 * count + ofPages) + 4096
  }

  /// What a compaction needs when the changes of `group` were made, as it is or behind a seal.
  ///
  /// It writes those segments anew first that take the least, and each gives back what is dead in
  /// it, until that is as much as the reserve has. So it needs what the one takes for which it has
  /// the least, of those that the reserve has room for at all. Segments of which nothing is dead
  /// yet count: they stand for what they will be. And who opens the store after a crash writes the
  /// open segment anew before anything else.
  func compactionRoom(behind group: [CommitRequest], isSealed: Bool = false) -> CompactionRoom {
    measureIndexes()
    let count = group.reduce(isSealed ? 0 : table.count) { $0 + $1.batch.changes.count }
    let keyByteCount = group.reduce(isSealed ? 0 : table.keyByteCount) {
      $0 + $1.batch.keyByteCount
    }
    // Key by key: a few long ones take more than all have on average.
    let again = group.reduce(isSealed ? 0 : table.directoryByteCount) {
      $0 + $1.batch.directoryByteCount
    }
    var collections: Set<CollectionIdentifier> = []
    for request in group {
      for change in request.batch.changes { collections.insert(change.collection) }
    }
    let openIndex = indexByteCount(
      ofOpenKeys: keyByteCount, again: again, count: count,
      collectionCount: (isSealed ? 0 : table.collectionCount) + collections.count)
    var room = CompactionRoom(outputByteCount: 0, indexByteCount: openIndex)
    let target = segmentByteCountTarget
    let beside = besideByteCount(target)
    let reserved = min(wholeByteCount, configuration.diskReserveByteCountMaximum)
    let others = max(openIndex, indexByteCount(forSegmentOf: target)) + beside + target / 8
    let steps = accounts.values.lazy.filter(\.descriptor.isSealed)
      .map { (output: $0.outputByteCount, account: $0) }
      .filter { $0.output + others <= reserved }
      .sorted { $0.output < $1.output }
    var gain: UInt64 = 0
    for step in steps {
      if gain >= reserved { break }
      room.outputByteCount = max(room.outputByteCount, step.output - min(step.output, gain))
      guard step.account.isWorthRewriting else { continue }
      room.isFreeing = true
      let present = step.account.descriptor.dataEnd + step.account.indexByteCount
      gain += present - min(present, step.output)
    }
    let open = active?.writer.end ?? needsRepair?.end ?? 0
    room.outputByteCount = max(room.outputByteCount, isSealed ? 0 : open)
    room.outputByteCount += beside
    return room
  }

  /// Notes for which segments a compaction found no room: where they should have found some,
  /// deletions do not wait for it.
  func note(withoutRoom segments: [SegmentIdentifier]) {
    let room = compactionRoom(behind: [])
    let least = segments.compactMap { accounts[$0]?.outputByteCount }.min()
    let shouldFit = least.map { $0 <= room.outputByteCount } ?? false
    if shouldFit || !room.isFreeing { reserve.noteTooSmall(besides: least ?? 0) }
  }

  /// Notes that a compaction of a full disk found nothing that it can take, be it that something
  /// looks as if it were to be: deletions that were refused do not wait for that. It began to look
  /// when so many were refused; what was refused since may find something.
  func noteNothingToCompact(since refusalCount: Int) {
    guard reserve.refusalCount == refusalCount else { return }
    // What found no room and is not tried again makes no difference from here on.
    guard reserve.isGivenUp else { return reserve.noteRoom() }
    guard reserve.refusesDeletions else { return }
    if compactionRoom(behind: []).isFreeing { reserve.noteTooSmall() }
  }

  /// Looks how large the indexes of sealed segments are, of those that it has not looked at yet;
  /// with `count`, of no more, and of none where it looked in vain.
  func measureIndexes(atMost count: Int? = nil) {
    let accounts = accounts.values.lazy.filter(\.needsMeasuring)
      .filter { count == nil || !$0.wasMeasuredInVain }
    for account in accounts.prefix(count ?? .max) {
      let descriptor = account.descriptor
      do throws(FileIOError) {
        let file = try directory.open(StoreDirectory.segment(descriptor.identifier), .read)
        let end = try file.size()
        account.measuredIndexByteCount = end - min(end, descriptor.dataEnd)
      } catch { account.wasMeasuredInVain = true }
    }
  }
}
