internal import FileIO
internal import Synchronization

/// Ranges of keys in which nothing is alive, found by walks that passed over many deleted keys.
///
/// A queue's first entries are deleted one after the other, and each look for the first that is
/// left would pass over all of them again, until a merge drops their keys. So who passed over many
/// notes it here, and who meets one of them goes on behind the last.
///
/// A range holds for the state in which it was found and for later ones, until a key in it is put.
/// Commits tell of that before they are applied, so before anybody can see it. Nothing is
/// remembered between openings. Safe on any thread.
final class DeadRanges: Sendable {
  /// The keys from `low` on and before `high`.
  struct Range {
    var low: KeyCut
    var high: KeyCut
    /// Of the state in which nothing was alive.
    var sequence: CommitSequence
    /// How many keys may still be put in it, or in what is left of it, until it is forgotten: who
    /// fills it again is not to pay for that with each key.
    var putCount = 8
  }

  /// So many deleted keys in a row are worth a note.
  static let keyCountMinimum = 128
  static let rangeCountMaximum = 16
  /// Ranges between longer keys are not noted, so that memory is bounded.
  static let keyByteCountMaximum = 1024

  private let ranges = Lock<[Range]>([])
  private let isUsed = Atomic(false)
  /// Of the last record that is being applied, or was.
  private let appliedSequence: Atomic<UInt64>

  init(appliedUpTo sequence: CommitSequence) { appliedSequence = Atomic(sequence.rawValue) }

  /// Whether there is nothing to ask for.
  @inline(__always)
  var isEmpty: Bool { !isUsed.load(ordering: .relaxed) }

  /// Moves `cut` to where a walk goes on that stands on a deleted key, as of `sequence`; false
  /// where nothing is known.
  func pass(
    _ key: IndexKey, _ order: KeyOrder, at sequence: CommitSequence, to cut: KeyBuffer
  ) -> Bool {
    ranges.withLock { ranges in
      for range in ranges where range.sequence <= sequence && range.contains(key) {
        (order == .ascending ? range.high : range.low).withIndexKey { cut.set($0) }
        return true
      }
      return false
    }
  }

  /// Remembers that no key from `low` on and before `high` is alive as of `sequence`, if that is
  /// the newest state.
  func note(from low: IndexKey, to high: IndexKey, at sequence: CommitSequence) {
    guard max(low.length, high.length) <= Self.keyByteCountMaximum else { return }
    ranges.withLock { ranges in
      // Either this sees that something is being applied, or who applies it sees the flag.
      isUsed.store(true, ordering: .sequentiallyConsistent)
      if appliedSequence.load(ordering: .sequentiallyConsistent) == sequence.rawValue {
        var made = Range(low: KeyCut(before: low), high: KeyCut(before: high), sequence: sequence)
        ranges.removeAll { made.absorbs($0) }
        if ranges.count >= Self.rangeCountMaximum { ranges.removeFirst() }
        ranges.append(made)
      }
      isUsed.store(!ranges.isEmpty, ordering: .sequentiallyConsistent)
    }
  }

  /// Called before the records of `batch` are applied, of which the last gets `sequence`.
  func willApply(_ batch: WriteBatch, upTo sequence: CommitSequence) {
    appliedSequence.store(sequence.rawValue, ordering: .sequentiallyConsistent)
    guard isUsed.load(ordering: .sequentiallyConsistent) else { return }
    ranges.withLock { ranges in
      for change in batch.changes where change.kind == .put {
        Self.put(IndexKey(change.collection, batch.key(of: change)), in: &ranges)
        if ranges.isEmpty { break }
      }
      isUsed.store(!ranges.isEmpty, ordering: .sequentiallyConsistent)
    }
  }

  /// Called before records up to `sequence` are published that nobody can name.
  func willPublish(upTo sequence: CommitSequence) {
    appliedSequence.store(sequence.rawValue, ordering: .sequentiallyConsistent)
    ranges.withLock { ranges in
      ranges.removeAll()
      isUsed.store(false, ordering: .sequentiallyConsistent)
    }
  }

  /// Leaves what lies on both sides of `key`.
  private static func put(_ key: IndexKey, in ranges: inout [Range]) {
    for index in ranges.indices.reversed() where ranges[index].contains(key) {
      var below = ranges.remove(at: index)
      guard below.putCount > 0 else { continue }
      below.putCount -= 1
      var above = below
      below.high = KeyCut(before: key)
      above.low = KeyCut(behind: key)
      ranges.append(contentsOf: [below, above].filter { !$0.isEmpty })
    }
    if ranges.count > rangeCountMaximum { ranges.removeFirst(ranges.count - rangeCountMaximum) }
  }
}

extension DeadRanges.Range {
  fileprivate func contains(_ key: IndexKey) -> Bool {
    low.withIndexKey { IndexKey.compare($0, key) <= 0 }
      && high.withIndexKey { IndexKey.compare(key, $0) < 0 }
  }

  fileprivate var isEmpty: Bool { high <= low }

  /// Takes in a range that it overlaps or touches.
  fileprivate mutating func absorbs(_ other: DeadRanges.Range) -> Bool {
    guard low <= other.high, other.low <= high else { return false }
    if other.low <= low { low = other.low }
    if high <= other.high { high = other.high }
    return true
  }
}
