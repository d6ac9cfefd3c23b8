/// Applies one record to the memory table and the live totals; commits and recovery both call it,
/// so that they cannot drift apart.
///
/// A class, so that each commit uses it again without counting what it refers to.
final class ChangeApplier {
  let table: MemoryTable
  /// Of the segment whose records the table knows.
  let active: SegmentAccount
  /// The sealed segments beneath the table.
  let beneath: SealedIndex
  let accounts: SegmentTable<SegmentAccount>
  let watch: RewriteWatch?

  init(
    table: MemoryTable, active: SegmentAccount, beneath: SealedIndex,
    accounts: SegmentTable<SegmentAccount>, watch: RewriteWatch?
  ) {
    self.table = table
    self.active = active
    self.beneath = beneath
    self.accounts = accounts
    self.watch = watch
  }

  /// Finds what the record of `key` replaces beneath the table; may read index pages, and so throw.
  func sealedPrevious(of key: IndexKey) throws(LogError) -> View.Hit? {
    table.find(key) == nil ? try beneath.find(key) : nil
  }

  /// Cannot fail: what it needs from disk was found before, by ``sealedPrevious(of:)``.
  /// `isCounted` is false when the live totals know the record already; only the index changes.
  func apply(
    _ key: IndexKey, _ value: IndexValue, sealedPrevious: View.Hit?, isCounted: Bool
  ) {
    active.countWritten(value)
    let replaced = table.replace(key, value)
    guard isCounted else { return }
    if let replaced {
      if !replaced.isTombstone { countDead(key, replaced, in: active) }
    } else if let hit = sealedPrevious, !hit.value.isTombstone {
      watch?.note(key, hit)
      if let account = accounts[hit.segment.identifier] { countDead(key, hit.value, in: account) }
    }
    if !value.isTombstone { active.countLive(CollectionIdentifier(key.collection), value) }
  }

  private func countDead(_ key: IndexKey, _ value: IndexValue, in account: SegmentAccount) {
    account.countDead(CollectionIdentifier(key.collection), value)
  }
}
