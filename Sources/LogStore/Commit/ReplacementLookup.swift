internal import FileIO
internal import Synchronization

/// Finds what keys that are new to a memory table replace in the sealed indexes beneath it, on a
/// thread of its own.
///
/// Keeps the table, which has the bytes of the keys, and the indexes alive meanwhile; holds no
/// lock.
final class ReplacementLookup: @unchecked Sendable {
  // Sendable: what is found is changed by the thread that runs it, and read when it is finished.
  private let keys: [IndexKey]
  /// Both go when it is finished.
  private var table: MemoryTable?
  private var beneath: SealedIndex?
  private let finished = Atomic(false)
  private var found: [(key: IndexKey, hit: View.Hit)] = []
  private var outcome = Outcome()

  /// What could not be found out.
  struct Outcome {
    /// Keys for which an index could not be read now.
    var failed: [IndexKey] = []
    /// The first error of those.
    var failure: LogError?
  }

  private static let groupCount = GroupedLookup.keyCountMaximum

  /// For keys that borrow their bytes from `table`.
  init(_ keys: [IndexKey], of table: MemoryTable, in beneath: SealedIndex) {
    self.keys = keys
    self.table = table
    self.beneath = beneath
  }

  /// Whether ``run()`` is through; then what it found may be taken.
  var isFinished: Bool { finished.load(ordering: .acquiring) }

  /// Looks all keys up; once.
  func run() {
    guard let beneath else { return }
    var probes: [KeyProbe] = []
    var found: [(IndexKey, View.Hit)] = []
    outcome = Self.find(keys, in: beneath, &probes) { key, hit in found.append((key, hit)) }
    self.found = found
    letGo()
    finished.store(true, ordering: .releasing)
  }

  /// Whoever sees that it is finished may expect that it keeps nothing.
  private func letGo() {
    table = nil
    beneath = nil
  }

  /// What was found, by who alone has it, once; it keeps segments.
  func takeFound() -> (found: [(key: IndexKey, hit: View.Hit)], outcome: Outcome) {
    defer { found = [] }
    return (found, outcome)
  }

  /// Calls `found` for each key that has a value in `beneath` which is no tombstone; `probes` is
  /// memory that is used again.
  ///
  /// Some keys at a time: the memory of each step is asked for of all before it is waited for. An
  /// index that is damaged and cannot be made anew says nothing.
  static func find(
    _ keys: [IndexKey], in beneath: SealedIndex, _ probes: inout [KeyProbe],
    _ found: (IndexKey, View.Hit) -> Void
  ) -> Outcome {
    var outcome = Outcome()
    for start in stride(from: 0, to: keys.count, by: groupCount) {
      let group = start..<min(start + groupCount, keys.count)
      guard mayFind(keys[group], in: beneath) else { continue }
      probes.removeAll(keepingCapacity: true)
      for position in group { probes.append(KeyProbe(keys[position])) }
      beneath.prefetch(probes)
      for (position, probe) in zip(group, probes) {
        do throws(LogError) {
          guard let hit = try beneath.find(keys[position], hash: probe.hash),
            !hit.value.isTombstone
          else { continue }
          found(keys[position], hit)
        } catch {
          guard case .fileIO = error else { continue }
          outcome.failed.append(keys[position])
          outcome.failure = outcome.failure ?? error
        }
      }
    }
    return outcome
  }

  /// Whether an index may have one of the keys. Those of records that arrive in order lie behind
  /// all indexes.
  static func mayFind(_ keys: ArraySlice<IndexKey>, in beneath: SealedIndex) -> Bool {
    let heads = keys.lazy.map { ($0.collection, $0.head) }
    guard let first = heads.min(by: <), let last = heads.max(by: <) else { return false }
    return beneath.mayContainKeys(from: first, to: last)
  }
}
