internal import BinaryCoding

extension SealedIndex {
  /// Indexes that are asked ahead for a key; those behind are seldom reached.
  private static let prefetchedIndexCountMaximum: UInt8 = 4

  /// Asks for the memory that look-ups of these keys will read: each step of all keys before the
  /// next step of the first.
  func prefetch(_ probes: [KeyProbe]) {
    withUnsafeTemporaryAllocation(of: Int.self, capacity: probes.count) { places in
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: probes.count) { counts in
        counts.initialize(repeating: 0)
        for slot in slots {
          slot.lendRun { Self.prefetch(probes, in: $0, places, counts) }
        }
      }
    }
  }

  /// Passes over the keys that the run cannot have, as look-ups do.
  private static func prefetch(
    _ probes: [KeyProbe], in run: IndexRun, _ places: UnsafeMutableBufferPointer<Int>,
    _ counts: UnsafeMutableBufferPointer<UInt8>
  ) {
    var count = 0
    for (position, probe) in probes.enumerated()
    where counts[position] < prefetchedIndexCountMaximum && run.heads.mayContain(probe.head) {
      run.prefetchLine(probe.hash)
      counts[position] += 1
      places[count] = position
      count += 1
    }
    for index in 0..<count {
      places[index] = run.prefetchPage(probes[places[index]].hash) ?? -1
    }
    for index in 0..<count where places[index] >= 0 { run.prefetchFields(at: places[index]) }
  }
}

extension Segment {
  /// Asks for the memory of a record, where it is mapped.
  func prefetchRecord(at value: IndexValue) {
    guard let bytes = mappedBytes(at: value), let base = bytes.baseAddress else { return }
    Prefetch.read(base, count: bytes.count)
  }
}
