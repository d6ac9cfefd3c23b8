internal import BinaryCoding

/// Looks up several keys of a view at once.
///
/// One look-up is a chain of cache misses, each of which names the next: the line of the locator,
/// the page, the key's fields, the record. Here each step is asked for of all keys before it is
/// taken for the first, so that the processor waits for them together. The answers are those of
/// ``View/record(_:)``, which is asked where they cannot be had without counting references. Used
/// by one thread.
struct GroupedLookup {
  /// Enough to hide most of the time that memory takes; more would drive each other out.
  static let keyCountMaximum = 16

  private enum Place {
    case absent
    case sealed(Unmanaged<Segment>, IndexValue)
    case unknown
  }

  private let view: View
  private var probes: [KeyProbe] = []
  private var places: [Place] = []

  init(_ view: View) {
    self.view = view
    probes.reserveCapacity(Self.keyCountMaximum)
    places.reserveCapacity(Self.keyCountMaximum)
  }

  /// Appends the newest record of each of `keys` to `records`, or nothing for one that is absent or
  /// deleted.
  mutating func append(
    _ keys: ArraySlice<IndexKey>, to records: inout [StoredRecord?]
  ) throws(LogError) {
    probes.removeAll(keepingCapacity: true)
    for key in keys { probes.append(KeyProbe(key)) }
    view.beneath.prefetch(probes)
    places.removeAll(keepingCapacity: true)
    for (key, probe) in zip(keys, probes) { places.append(locate(key, probe.hash)) }
    for (key, place) in zip(keys, places) { records.append(try record(key, at: place)) }
  }

  private func locate(_ key: IndexKey, _ hash: UInt64) -> Place {
    switch view.fastAnswer(key, hash: hash) {
    case .absent: return .absent
    case .unknown: return .unknown
    case .found(let value, let slot):
      if value.isTombstone { return .absent }
      guard let segment = view.beneath.slots[slot].segment(of: value) else { return .unknown }
      segment._withUnsafeGuaranteedRef { $0.prefetchRecord(at: value) }
      return .sealed(segment, value)
    }
  }

  private func record(_ key: IndexKey, at place: Place) throws(LogError) -> StoredRecord? {
    if case .absent = place { return nil }
    if case .sealed(let segment, let value) = place,
      case .found(let found) = segment._withUnsafeGuaranteedRef({
        $0.fastRecord(at: value, key: key)
      }), let record = found.copied()
    {
      return record
    }
    return try view.record(key)
  }
}
