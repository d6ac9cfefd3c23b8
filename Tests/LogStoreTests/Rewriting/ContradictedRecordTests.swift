import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// What a rewrite keeps where an index denies what lies in a segment.
@Suite struct ContradictedRecordTests {
  /// Segments with 40 keys, with newer records of the same keys, and with other keys.
  private static func segments() throws -> (view: View, segments: [Segment]) {
    let log = try TestLog.openWithLargeSegments()
    for start in [0, 0, 100] {
      try TestLog.put(start..<(start + 40), log)
      try log.sealActiveSegment()
    }
    let view = try log.snapshot().view()
    return (view, view.sealed.sorted { $0.identifier < $1.identifier })
  }

  /// How many records of `input` are carried over where the indexes of `known` are all there are.
  private static func liveCount(
    _ input: Segment, knowing known: [Segment], _ view: View, ascending: Bool
  ) throws -> Int {
    let narrowed = View(
      table: view.table, active: view.active, beneath: SealedIndex(View.ordered(known)),
      lastSequence: view.lastSequence)
    for source in narrowed.beneath.sources { _ = try source.keySpan() }
    let walk = try RewriteWalk(narrowed, inputs: [input], ascending: ascending)
    var count = 0
    while let found = try walk.next() { count += found.isLive ? 1 : 0 }
    return count
  }

  @Test(
    "P6: a record stays of which an index knows something older only, or nothing",
    arguments: [false, true])
  func stays(ascending: Bool) throws {
    let (view, segments) = try Self.segments()
    try #require(segments.count == 3)
    func liveCount(_ input: Int, knowing known: [Int]) throws -> Int {
      try Self.liveCount(
        segments[input], knowing: known.map { segments[$0] }, view, ascending: ascending)
    }
    #expect(try liveCount(1, knowing: [0]) == 40)
    #expect(try liveCount(1, knowing: [2]) == 40)
    // What is newer takes its place, and the record itself may be the newest.
    #expect(try liveCount(0, knowing: [0, 1, 2]) == 0)
    #expect(try liveCount(1, knowing: [0, 1, 2]) == 40)
  }
}
