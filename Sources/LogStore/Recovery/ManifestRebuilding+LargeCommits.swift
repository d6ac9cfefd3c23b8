internal import FileIO

extension ManifestRebuilding {
  /// The segments of a large commit that follow `before`; none when there is no whole one. Those of
  /// one that was given up, or that a crash cut short, lack its last frame.
  func largeCommit(
    beginningAt first: CommitSequence, after before: (segment: UInt32, hash: UInt64)
  ) throws(LogError) -> [Link] {
    // Several attempts may have begun at one place; each part names the one before it, so that
    // every one is looked at once.
    var open = try parts(beginningAt: first, after: before, depth: 0)
    var path: [Link] = []
    while let (link, depth) = open.popLast() {
      path.removeSubrange(depth...)
      path.append(link)
      if link.extent.endsCommit { return path }
      let next = CommitSequence(link.extent.lastSequence.rawValue + 1)
      open += try parts(beginningAt: next, after: link.end, depth: depth + 1)
    }
    return []
  }

  /// The sealed parts of large commits that go on there, the newest last, with how many parts are
  /// before them.
  private func parts(
    beginningAt first: CommitSequence, after before: (segment: UInt32, hash: UInt64), depth: Int
  ) throws(LogError) -> [(link: Link, depth: Int)] {
    var links: [(link: Link, depth: Int)] = []
    for segment in partsByPredecessor[before.segment] ?? [] {
      guard let header = segment.header, header.predecessorHash == before.hash,
        header.firstSequence == first
      else { continue }
      let extent = try SegmentExtent(of: segment, header, in: directory)
      // The last part may be without records, and begin a segment of its own.
      guard extent.isSealed, extent.lastSequence >= first || extent.endsCommit else { continue }
      links.append((Link(identifier: segment.identifier, header: header, extent: extent), depth))
    }
    return links
  }

  /// Parts by the segment that each names as the one before it.
  static func partsByPredecessor(_ found: [FoundSegment]) -> [UInt32: [FoundSegment]] {
    var parts: [UInt32: [FoundSegment]] = [:]
    for segment in found {
      guard let header = segment.header, header.stream == .user, header.holdsParts else { continue }
      parts[header.predecessor, default: []].append(segment)
    }
    return parts
  }

  /// What says that a large commit was finished of which parts are missing or damaged: one that was
  /// given up, or that a crash cut short, lacks its last frame.
  func brokenCommit(behind links: [Link], at next: CommitSequence) throws(LogError) -> String? {
    let known = Set(links.map(\.identifier))
    for segment in found {
      guard let header = segment.header, header.stream == .user, header.holdsParts,
        header.firstSequence >= next, !known.contains(segment.identifier),
        try SegmentExtent(of: segment, header, in: directory).showsEndOfCommit()
      else { continue }
      return
        "segment \(segment.identifier) holds the end of a large commit, or may, of which parts "
        + "are missing or damaged"
    }
    return nil
  }
}
