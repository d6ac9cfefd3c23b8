internal import FileIO

/// Finds what keys that are new to a memory table replace in the sealed indexes beneath it, on a
/// thread of its own, or of who needs it before that has begun.
///
/// Keeps the table, which has the bytes of the keys, and the indexes alive meanwhile; holds no
/// lock.
struct ReplacementLookup: Sendable {
  private let work: HandedOverWork<Result>

  /// What was found, added up, so that who commits need not count each record.
  struct Result {
    /// Of each segment, the records that are replaced.
    fileprivate(set) var dead = SegmentTable<LiveTotals>()
    /// Those of the inputs of a rewrite, if one runs.
    fileprivate(set) var watch: RewriteWatch?
    fileprivate(set) var outcome = Outcome()
  }

  /// What could not be found out.
  struct Outcome {
    /// Keys for which an index could not be read now.
    var failed: [IndexKey] = []
    /// The first error of those.
    var failure: LogError?
  }

  private static let groupCount = GroupedLookup.keyCountMaximum

  /// For keys that borrow their bytes from `table`; what `watch` would note is noted apart from it.
  init(
    _ keys: [IndexKey], of table: MemoryTable, in beneath: SealedIndex,
    notingBeside watch: RewriteWatch?
  ) {
    // They point into the table.
    nonisolated(unsafe) let keys = keys
    // Nobody else has it before the result is taken.
    nonisolated(unsafe) let watch = watch?.makeApart()
    work = HandedOverWork {
      withExtendedLifetime(table) { Self.result(keys, beneath, watch) }
    }
  }

  /// Whether all keys are looked up; then what was found may be taken.
  var isFinished: Bool { work.isFinished }

  /// Has `worker` look all keys up; false, and it never will be done, where there is no thread.
  func handOver(to worker: SerialWorker) -> Bool { work.handOver(to: worker) }

  /// Looks all keys up, or waits for the thread that does.
  func finish() { work.finish() }

  /// What was found, when it is finished, by who alone has it, once.
  func takeFound() -> Result {
    guard let found = work.take() else {
      preconditionFailure("what a look-up found is taken once, and none is cancelled")
    }
    return found
  }

  private static func result(
    _ keys: [IndexKey], _ beneath: SealedIndex, _ watch: RewriteWatch?
  ) -> Result {
    var probes: [KeyProbe] = []
    var result = Result()
    result.outcome = find(keys, in: beneath, &probes) { key, hit in
      watch?.note(key, hit)
      let version = CollectionVersion(
        collection: CollectionIdentifier(key.collection), schemaVersion: hit.value.schemaVersion)
      let byteCount = UInt64(hit.value.length)
      result.dead.update(hit.segment.identifier, from: LiveTotals()) {
        $0.add(version, byteCount: byteCount)
      }
    }
    result.watch = watch
    return result
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
    guard let key = keys.first else { return false }
    var first = (collection: key.collection, head: key.head)
    var last = first
    for key in keys {
      let head = (collection: key.collection, head: key.head)
      if head < first { first = head }
      if head > last { last = head }
    }
    return beneath.mayContainKeys(from: first, to: last)
  }
}
