internal import BinaryCoding

extension View {
  /// Indexes that are asked ahead. A store at rest has one or two; those behind are seldom reached.
  private static let prefetchedIndexCountMaximum = 4

  /// Asks for the memory that look-ups of keys with these hashes will read: each step of all keys
  /// before the next step of the first.
  func prefetch(_ hashes: [UInt64]) {
    for slot in beneath.slots.prefix(Self.prefetchedIndexCountMaximum) {
      slot.lendRun { run in
        for hash in hashes { run.prefetchLine(hash) }
        withUnsafeTemporaryAllocation(of: Int.self, capacity: hashes.count) { places in
          for (position, hash) in hashes.enumerated() {
            places[position] = run.prefetchPage(hash) ?? -1
          }
          for place in places where place >= 0 { run.prefetchFields(at: place) }
        }
      }
    }
  }
}

extension Segment {
  /// Asks for the memory of a record, where it is mapped.
  func prefetchRecord(at value: IndexValue) {
    guard let bytes = mappedBytes(at: value), let base = bytes.baseAddress else { return }
    Prefetch.read(base, count: bytes.count)
  }
}
