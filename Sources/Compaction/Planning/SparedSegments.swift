package import LogStore

/// What a compaction that plans step after step does not try again: a value that learns from what
/// the steps report.
package struct SparedSegments: Sendable {
  /// Segments in which something does not verify, or cannot be read: left as they are.
  package private(set) var unreadable: Set<SegmentIdentifier> = []
  /// Segments with old records whose upgrade failed: nothing is rewritten to try them again.
  package private(set) var tried: Set<SegmentIdentifier> = []
  /// Whether those are rewritten all the same, but behind all others.
  package var triesAgain = false
  private var needed: [NeededTombstones] = []
  /// Segments with dictionaries that nothing needs and that could not be left out.
  private var withDictionaries: Set<SegmentIdentifier> = []
  /// Segments that found no room: others have their turn before they are tried again.
  private(set) var withoutRoom: Set<SegmentIdentifier> = []

  /// Segments that are not to be rewritten for their dictionaries alone.
  package var keepingDictionaries: Set<SegmentIdentifier> { unreadable.union(withDictionaries) }

  /// Nothing was tried yet.
  package init() {}

  /// Takes over what a step found.
  package mutating func note(_ report: CompactionReport) {
    unreadable.formUnion(report.leftSegments)
    noteTried(report.triedSegments)
    needed += report.neededTombstones
    withDictionaries.formUnion(report.dictionarySegments)
    withoutRoom.formUnion(report.segmentsWithoutRoom)
  }

  /// Leaves the old records of `segments` alone.
  package mutating func noteTried(_ segments: some Sequence<SegmentIdentifier>) {
    tried.formUnion(segments)
  }

  /// Forgets what does not hold any more, now that these are the segments of the log.
  package mutating func update(_ present: [SegmentStatistics]) {
    if unreadable.isEmpty, tried.isEmpty, needed.isEmpty, withDictionaries.isEmpty,
      withoutRoom.isEmpty
    {
      return
    }
    let present = Set(present.map(\.identifier))
    unreadable.formIntersection(present)
    tried.formIntersection(present)
    withDictionaries.formIntersection(present)
    withoutRoom.formIntersection(present)
    needed.removeAll { $0.mayBeTriedAgain(among: present) }
  }

  /// Lets those be tried again that found no room; whether there were any.
  package mutating func forgetWithoutRoom() -> Bool {
    defer { withoutRoom = [] }
    return !withoutRoom.isEmpty
  }

  /// Whether it was found that most tombstones of a segment are needed still.
  func needsTombstones(_ segment: SegmentIdentifier) -> Bool {
    needed.contains { $0.outputs.contains(segment) }
  }
}
