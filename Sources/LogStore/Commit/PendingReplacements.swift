/// Keys that were put into the memory table, of which is not known yet what they replace beneath.
///
/// Only the live totals need to know that, and a look-up in sealed indexes is a chain of cache
/// misses. So some keys wait for each other and are looked up together, which asks for the memory
/// of each step of all before it waits for the first; whoever needs exact totals settles what
/// waits. Keys are borrowed from the table. Used under the writer's lock, or by one thread.
final class PendingReplacements {
  @exclusivity(unchecked) private var keys: [IndexKey] = []
  /// Those whose index could not be read.
  @exclusivity(unchecked) private var failed: [IndexKey] = []
  @exclusivity(unchecked) private var triesLeft = 3
  @exclusivity(unchecked) private var probes: [KeyProbe] = []

  private static let groupCount = GroupedLookup.keyCountMaximum
  /// Memory for more keys than this is not kept.
  private static let keptCountMaximum = 4096

  var isEmpty: Bool { keys.isEmpty && failed.isEmpty }

  /// Whether enough wait for a look-up.
  var areDue: Bool { keys.count >= Self.groupCount }

  /// `key` was not in the table before; its bytes must stay until it is settled.
  func add(_ key: IndexKey) { keys.append(key) }

  /// Counts as dead what the keys replace in `beneath`, and notes it in `watch`; with `again` also
  /// for those whose index could not be read before.
  ///
  /// Returns an error of the file system that makes it worthwhile to try again. Where an index
  /// cannot be read time after time, or is damaged and cannot be made anew, what it says is given
  /// up: the replaced record counts as live then, so that more is kept than must be.
  @discardableResult
  func settle(
    beneath: SealedIndex, _ accounts: SegmentTable<SegmentAccount>, _ watch: RewriteWatch?,
    again: Bool = false
  ) -> LogError? {
    if again, !failed.isEmpty {
      keys.append(contentsOf: failed)
      failed = []
    }
    var failure: LogError?
    for start in stride(from: 0, to: keys.count, by: Self.groupCount) {
      let group = start..<min(start + Self.groupCount, keys.count)
      guard isWorthAsking(beneath, for: group) else { continue }
      beneath.prefetch(probes)
      for (position, probe) in zip(group, probes) {
        let key = keys[position]
        do throws(LogError) {
          guard let hit = try beneath.find(key, hash: probe.hash), !hit.value.isTombstone
          else { continue }
          watch?.note(key, hit)
          accounts[hit.segment.identifier]?
            .countDead(CollectionIdentifier(key.collection), hit.value)
        } catch {
          guard case .fileIO = error else { continue }
          failed.append(key)
          failure = failure ?? error
        }
      }
    }
    keys.removeAll(keepingCapacity: keys.count <= Self.keptCountMaximum)
    guard let failure else { return nil }
    triesLeft -= 1
    if triesLeft > 0 { return failure }
    failed = []
    return nil
  }

  /// Whether an index may have one of the keys; makes their probes then. Those of records that
  /// arrive in order lie behind all indexes.
  private func isWorthAsking(_ beneath: SealedIndex, for group: Range<Int>) -> Bool {
    let heads = keys[group].lazy.map { ($0.collection, $0.head) }
    guard let first = heads.min(by: <), let last = heads.max(by: <),
      beneath.mayContainKeys(from: first, to: last)
    else { return false }
    probes.removeAll(keepingCapacity: true)
    for position in group { probes.append(KeyProbe(keys[position])) }
    return true
  }
}
