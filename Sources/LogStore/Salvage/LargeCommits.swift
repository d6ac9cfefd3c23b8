internal import FileIO

/// Which large commits are whole, by what their segments tell: see decision 18.
///
/// A commit is whole when its segments are there from the first to the last, each sealed and naming
/// the one before and that one's last frame, and the last frame of all ends it. Its first segment
/// is known by what its frames say was durable: all that was before the commit.
struct LargeCommits {
  /// The segments of those that are whole.
  private(set) var whole: Set<SegmentIdentifier> = []
  /// The sequences at which others would go on.
  private(set) var ends: Set<UInt64> = []
  private var links: [UInt32: Link] = [:]

  /// A segment with parts of a commit.
  private struct Link {
    let identifier: SegmentIdentifier
    let header: SegmentHeader
    let lastSequence: CommitSequence
    let closingHash: UInt64
    let isSealed: Bool
    let endsCommit: Bool
    let beginsCommit: Bool
  }

  /// Reads all frames of those of `found` that hold parts.
  init(in found: [FoundSegment], of directory: any Directory) throws(LogError) {
    for segment in found {
      guard let header = segment.header, header.stream == .user, header.holdsParts else { continue }
      let extent = try SegmentExtent(of: segment, header, in: directory)
      links[segment.identifier.rawValue] = Link(
        identifier: segment.identifier, header: header, lastSequence: extent.lastSequence,
        closingHash: extent.closingHash, isSealed: extent.isSealed, endsCommit: extent.endsCommit,
        // A user segment's first sequence is above 0; what a frame says may be any number.
        beginsCommit: extent.sequenceBeforeCommit?.rawValue == header.firstSequence.rawValue - 1)
    }
    for link in links.values where link.isSealed && link.endsCommit {
      whole.formUnion(segments(upTo: link) ?? [])
    }
    for link in links.values where !whole.contains(link.identifier) && !link.endsCommit {
      ends.insert(link.lastSequence.rawValue + 1)
    }
  }

  /// The segments of the commit that `last` ends; nothing when one is missing.
  private func segments(upTo last: Link) -> [SegmentIdentifier]? {
    var link = last
    var segments = [link.identifier]
    while !link.beginsCommit {
      // Sequences descend, so this ends.
      guard let before = links[link.header.predecessor], before.isSealed, !before.endsCommit,
        before.closingHash == link.header.predecessorHash,
        before.lastSequence >= before.header.firstSequence,
        before.lastSequence.rawValue + 1 == link.header.firstSequence.rawValue
      else { return nil }
      link = before
      segments.append(link.identifier)
    }
    return segments
  }
}
