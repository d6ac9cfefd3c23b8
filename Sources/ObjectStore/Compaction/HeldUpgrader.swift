internal import BinaryCoding
internal import Compaction
internal import LogStore

/// Upgrades what another upgrader would, but for what is held back.
struct HeldUpgrader: RecordUpgrader {
  let upgrader: UpgradingReader
  /// Whether no record is upgraded for now.
  var holdsAll = false
  /// Versions that are left: see ``FailingVersions``.
  var failing: Set<CollectionVersion> = []
  /// Of whoever made it: code of the application may open a store on any thread that upgrades.
  var openings = OpenStores.Openings()

  func forAnotherThread() -> any RecordUpgrader {
    HeldUpgrader(
      upgrader: upgrader.copy(), holdsAll: holdsAll, failing: failing, openings: openings)
  }

  func isStale(_ version: CollectionVersion) -> Bool {
    !holdsAll && !failing.contains(version) && upgrader.isStale(version)
  }

  func upgrade(_ record: StaleRecord, to payload: inout ByteWriter) -> UpgradeOutcome {
    openings.around { upgrader.upgrade(record, to: &payload) }
  }

  func upgrade(
    _ record: StaleRecord, to payload: inout ByteWriter, noting copies: inout CopiedRanges
  ) -> UpgradeOutcome {
    openings.around { upgrader.upgrade(record, to: &payload, noting: &copies) }
  }
}
