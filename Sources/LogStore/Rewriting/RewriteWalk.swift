internal import BinaryCoding

/// Walks the records of a rewrite's inputs in key order and tells which of them are live.
///
/// A record is live when it is the newest of its key. Where the inputs have many of the store's
/// keys, ``AscendingLookup`` tells, and otherwise several are looked up together, as
/// ``GroupedLookup`` does, because what is waited for is mostly memory. Nothing is looked up where
/// all of them are known to be. Used by one thread.
final class RewriteWalk {
  /// A record of an input. Its key is lent until the next one is asked for.
  struct FoundRecord {
    let key: IndexKey
    let value: IndexValue
    /// Kept alive by the rewrite.
    let segment: Unmanaged<Segment>
    let isLive: Bool
  }

  /// How live records are told from others.
  private enum Liveness {
    case all
    case ascending(AscendingLookup)
    case grouped
  }

  private struct Collected {
    let collection: CollectionIdentifier
    let keyEnd: Int
    let value: IndexValue
    let segment: Unmanaged<Segment>
  }

  /// Keys are collected until they have so many bytes.
  private static let keyByteCountMaximum = 4 << 10

  private let view: View
  private let cursor: MergingCursor
  private let liveness: Liveness
  /// Whether keys are looked up; for tests.
  var looksUp: Bool { if case .all = liveness { false } else { true } }
  // Unchecked, as one thread changes them for each record, and no code of others runs meanwhile.
  @exclusivity(unchecked) private var keys = ByteWriter(capacity: 1 << 10)
  @exclusivity(unchecked) private var collected: [Collected] = []
  @exclusivity(unchecked) private var probes: [KeyProbe] = []
  @exclusivity(unchecked) private var looked: [FoundRecord] = []
  @exclusivity(unchecked) private var position = 0

  /// With `areAllLive` no record is looked up. Tests have keys looked up one way or the other.
  init(
    _ view: View, inputs: [Segment], areAllLive: Bool = false, ascending: Bool? = nil
  ) throws(LogError) {
    self.view = view
    if areAllLive {
      liveness = .all
    } else {
      let keyCount = inputs.reduce(0) { $0 &+ $1.recordCount }
      let isAscending =
        ascending ?? AscendingLookup.isWorthwhile(keyCount: keyCount, in: view.beneath)
      liveness = isAscending ? .ascending(AscendingLookup(view.beneath)) : .grouped
    }
    cursor = try MergingCursor(
      view: view, overlay: nil, sealed: inputs.map { .footer($0) }, includesTable: false)
    collected.reserveCapacity(GroupedLookup.keyCountMaximum)
    probes.reserveCapacity(GroupedLookup.keyCountMaximum)
    looked.reserveCapacity(GroupedLookup.keyCountMaximum)
  }

  /// The record of the next key; nothing after the last.
  func next() throws(LogError) -> FoundRecord? {
    if position == looked.count { try fill() }
    guard position < looked.count else { return nil }
    defer { position += 1 }
    return looked[position]
  }

  private func fill() throws(LogError) {
    looked.removeAll(keepingCapacity: true)
    position = 0
    try collect()
    if !probes.isEmpty { view.beneath.prefetch(probes) }
    var start = 0
    for (index, found) in collected.enumerated() {
      let bytes = UnsafeRawBufferPointer(rebasing: keys.bytes[start..<found.keyEnd])
      start = found.keyEnd
      let key = IndexKey(found.collection, bytes)
      let isLive = try isLive(key, at: index, found)
      if isLive {
        found.segment._withUnsafeGuaranteedRef { $0.prefetchRecord(at: found.value) }
      }
      looked.append(
        FoundRecord(key: key, value: found.value, segment: found.segment, isLive: isLive))
    }
  }

  /// Moves over the next keys and remembers them.
  private func collect() throws(LogError) {
    keys.removeAll()
    collected.removeAll(keepingCapacity: true)
    probes.removeAll(keepingCapacity: true)
    while collected.count < GroupedLookup.keyCountMaximum, keys.count < Self.keyByteCountMaximum,
      let top = cursor.top
    {
      guard let segment = top.pointee.segment(of: top.pointee.window.value) else {
        preconditionFailure("a rewrite reads segments only")
      }
      let key = top.pointee.window.key.pointee
      let collection = CollectionIdentifier(key.collection)
      keys.writeBytes(key.buffer)
      if case .grouped = liveness { probes.append(KeyProbe(key)) }
      collected.append(
        Collected(
          collection: collection, keyEnd: keys.count, value: top.pointee.window.value.pointee,
          segment: segment))
      try cursor.advance()
    }
  }

  private func isLive(
    _ key: IndexKey, at position: Int, _ found: Collected
  ) throws(LogError) -> Bool {
    let answer: SealedIndex.Answer
    switch liveness {
    case .all: return true
    // The inputs are sealed.
    case _ where view.isActive(key): return false
    case .ascending(let lookup): answer = lookup.answer(key)
    case .grouped: answer = view.beneath.answer(key, hash: probes[position].hash)
    }
    // An answer older than what was found would be a wrong one. The same record may lie in two
    // segments that an earlier version salvaged: whichever is found, one of the two stays.
    if case .found(let value, let slot) = answer, value.sequence >= found.value.sequence,
      view.beneath.slots[slot].segment(of: value) != nil
    {
      return value.sequence == found.value.sequence
    }
    do throws(LogError) {
      // The view has the inputs, so of none of their keys it can know only what is older, or
      // nothing: an index that says so is wrong, and what was left out for it would be lost.
      guard let newest = try view.find(key), newest.value.sequence >= found.value.sequence else {
        return true
      }
      return newest.value.sequence == found.value.sequence
    } catch {
      // An index that is damaged, or cannot be read, cannot tell: what is kept is wrong for nobody,
      // as it keeps its sequence.
      guard error.damage != nil else { throw error }
      return true
    }
  }
}
