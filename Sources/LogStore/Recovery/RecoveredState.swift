/// What opening found; nothing was changed on disk to get it.
struct RecoveredState {
  var manifest: Manifest
  var accounts: SegmentTable<SegmentAccount>
  var dictionaries: DictionaryShelf
  var table: MemoryTable
  /// Of the table's keys, which the accounts do not know yet.
  var replacements = PendingReplacements()
  var view: View
  /// The highest sequence known to survive the loss of power.
  var durableSequence: CommitSequence
  /// The segment that was active when the store was last used, if it was not closed.
  var tail: RecoveredTail?
  /// Whether the manifest is not the one on disk, which was damaged or missing.
  var isManifestRebuilt = false
  var report: RecoveryReport
  /// What runs read from files keep in memory.
  var pageCache: RunPageCache

  /// Whether the store can have come from this state to what `next` lists by itself. Where it was
  /// set back to an earlier one, numbers that were given since mean other segments.
  func mayBecome(_ next: Manifest) -> Bool {
    let known = SegmentTable(manifest.segments, by: \.identifier)
    return next.segments.allSatisfy { segment in
      known[segment.identifier].map { $0.salt == segment.salt } ?? true
    }
  }

  /// What is counted of the tail, and how many keys wait to be looked up.
  struct TailCount {
    fileprivate let descriptor: SegmentDescriptor
    fileprivate let waitingCount: Int
  }

  /// That of now, for ``giveUpTail(after:)``; nothing without a tail.
  var tailCount: TailCount? {
    tail.map {
      TailCount(descriptor: $0.account.descriptor, waitingCount: replacements.waitingCount)
    }
  }

  /// Has the tail read from its beginning the next time, and takes back what was counted since
  /// `count` was taken: who shows this state shows nothing of it. Taken back, as a copy of all keys
  /// that wait would cost each refresh more than what it reads.
  mutating func giveUpTail(after count: TailCount?) {
    if let tail, let count {
      tail.account.descriptor = count.descriptor
      replacements.takeBack(behind: count.waitingCount)
    }
    tail = nil
  }

  /// Makes the live totals exact. Throws where an index cannot be read now.
  func settleReplacements() throws(LogError) {
    if let failure = replacements.settle(beneath: view.beneath, accounts, nil, again: true) {
      throw failure
    }
  }
}
