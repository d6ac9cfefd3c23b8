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
  /// Of what is beneath the table.
  let replacements: PendingReplacements
  /// What is told before keys are put.
  let deadRanges: DeadRanges?

  init(
    table: MemoryTable, active: SegmentAccount, beneath: SealedIndex,
    accounts: SegmentTable<SegmentAccount>, watch: RewriteWatch?,
    replacements: PendingReplacements, deadRanges: DeadRanges? = nil
  ) {
    self.table = table
    self.active = active
    self.beneath = beneath
    self.accounts = accounts
    self.watch = watch
    self.replacements = replacements
    self.deadRanges = deadRanges
  }

  /// Cannot fail: what the record replaces beneath the table is looked up later.
  /// `isCounted` is false when the live totals know the record already; only the index changes.
  func apply(_ key: IndexKey, _ value: IndexValue, isCounted: Bool) {
    active.countWritten(value)
    let before = table.replace(key, value)
    guard isCounted else { return }
    switch before {
    case .value(let replaced): active.countDead(CollectionIdentifier(key.collection), replaced)
    case .nothing(let kept): if !beneath.slots.isEmpty { replacements.add(kept) }
    }
    active.countLive(CollectionIdentifier(key.collection), value)
  }

  /// Has those looked up that are due; what they replace is counted as dead at some time.
  func lookUpReplacements() {
    replacements.lookUp(in: table, beneath: beneath, accounts, watch)
  }

  /// Counts as dead what the applied records replace beneath the table; see
  /// ``PendingReplacements/settle(beneath:_:_:again:)``.
  @discardableResult
  func settleReplacements() -> LogError? {
    replacements.settle(beneath: beneath, accounts, watch)
  }
}
