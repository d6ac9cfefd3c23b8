/// Applies one record to the memory table and the live totals; commits and recovery both call it,
/// so that they cannot drift apart.
struct ChangeApplier {
  let table: MemoryTable
  let active: SegmentAccount
  let activeSegment: Segment
  /// The sealed segments beneath the table.
  let base: View
  let accounts: SegmentTable<SegmentAccount>
  let watch: RewriteWatch?

  /// Finds what the record of `key` replaces beneath the table; may read index pages, and so throw.
  func sealedPrevious(of key: IndexKey) throws(LogError) -> View.Hit? {
    table.find(key) == nil ? try base.findSealed(key) : nil
  }

  /// Cannot fail: what it needs from disk was found before, by ``sealedPrevious(of:)``.
  /// `isCounted` is false when the live totals know the record already; only the index changes.
  func apply(
    _ key: IndexKey, _ value: IndexValue, sealedPrevious: View.Hit?, isCounted: Bool
  ) {
    active.countWritten(value)
    if isCounted {
      if let previous = previous(of: key, sealedPrevious), !previous.value.isTombstone {
        let account =
          previous.segment.identifier == activeSegment.identifier
          ? active : accounts[previous.segment.identifier]
        account?.countDead(CollectionIdentifier(key.collection), previous.value)
      }
      if !value.isTombstone {
        active.countLive(CollectionIdentifier(key.collection), value)
      }
    }
    table.insert(key, value)
  }

  private func previous(of key: IndexKey, _ sealedPrevious: View.Hit?) -> View.Hit? {
    if let value = table.find(key) { return View.Hit(segment: activeSegment, value: value) }
    if let hit = sealedPrevious, !hit.value.isTombstone { watch?.note(key, hit) }
    return sealedPrevious
  }
}
