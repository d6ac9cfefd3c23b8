internal import FileIO

/// Makes a damaged or missing manifest anew from the segments; reads only.
///
/// Commits tell by themselves how they follow each other: every user segment names the sequence it
/// begins with, its predecessor, and that one's last frame. What they do not tell is which segments
/// a compaction has replaced, so each publication leaves a copy of its manifest in the log. Hence:
///
/// 1. Take the newest copy that is there as the base; without any, the store's beginning.
/// 2. Every sealed segment that the base lists must be there. None can have gone before a later
///    publication, which would have left a later copy.
/// 3. Follow the chain of user segments from the base's last sequence on. It must be unbroken, and
///    reach the newest user segment there is and the newest sequence that any copy knows.
/// 4. Replay that chain as recovery replays a tail. Other files are leftovers.
///
/// A base that fails 2 or 3 may be one whose publication a crash prevented: the next older one is
/// tried. When none is left, another answer than the right one cannot be ruled out: the damage is
/// reported, with the reason. See decision 14.
struct ManifestRebuilding {
  let directory: any Directory
  private let configuration: LogConfiguration
  let found: [FoundSegment]
  private let store: StoreIdentifier
  let partsByPredecessor: [UInt32: [FoundSegment]]
  /// An earlier state, of which a reader keeps what it has open.
  private let known: RecoveredState?

  /// A user segment that holds the commits after those before it.
  struct Link {
    let identifier: SegmentIdentifier
    let header: SegmentHeader
    let extent: SegmentExtent

    /// What the header of the next one names.
    var end: (segment: UInt32, hash: UInt64) { (identifier.rawValue, extent.closingHash) }
  }

  /// Whether a base leads to the store's state.
  private enum Attempt {
    case chain([Link])
    case refused(String)
  }

  /// The state of the store whose manifest has `damage`; nothing when there is no segment.
  ///
  /// - Throws: ``LogError/corruption(_:)`` when the right state cannot be told for certain.
  static func rebuild(
    after damage: CorruptionReport, in directory: any Directory, configuration: LogConfiguration,
    reusing known: RecoveredState? = nil
  ) throws(LogError) -> RecoveredState? {
    let found = try FoundSegment.all(in: directory)
    guard let store = found.lazy.compactMap(\.header).first?.store else { return nil }
    let rebuilding = ManifestRebuilding(
      directory: directory, configuration: configuration, found: found, store: store,
      partsByPredecessor: partsByPredecessor(found),
      known: known?.manifest.store == store ? known : nil)
    do throws(LogError) {
      return try rebuilding.rebuild(damage)
    } catch .corruption(let obstacle) where obstacle.file != damage.file {
      throw rebuilding.refusal(
        damage,
        "\(obstacle.file) at offset \(obstacle.offset): "
          + obstacle.reason)
    }
  }

  private func rebuild(_ damage: CorruptionReport) throws(LogError) -> RecoveredState {
    if let other = found.first(where: { $0.header.map { $0.store != store } ?? false }) {
      throw refusal(damage, "\(StoreDirectory.segment(other.identifier)) is of another store")
    }
    let carriers = found.filter { $0.copy != nil }.sorted {
      ($0.copy?.generation ?? 0, $0.identifier) > ($1.copy?.generation ?? 0, $1.identifier)
    }
    var reason: String?
    for carrier in carriers.map(Optional.some) + [nil] {
      let base = try carrier?.manifest(in: directory)
      switch try attempt(base) {
      case .chain(let links):
        return try replay(links, after: base ?? Manifest(store: store), damage)
      case .refused(let why): reason = reason ?? why
      }
    }
    throw refusal(damage, reason ?? "there is nothing to begin with")
  }

  private func refusal(_ damage: CorruptionReport, _ reason: String) -> LogError {
    .corruption(
      CorruptionReport(
        file: damage.file, offset: damage.offset,
        reason: "\(damage.reason); it cannot be rebuilt with certainty (\(reason))"))
  }

  /// Looks for the chain of user segments after `base`, or from the beginning.
  private func attempt(_ base: Manifest?) throws(LogError) -> Attempt {
    for listed in base?.segments.filter(\.isSealed) ?? [] {
      guard found.contains(where: { $0.isFile(of: listed) }) else {
        return .refused("segment \(listed.identifier) is missing")
      }
    }
    var highest: OutputEnd?
    if let reason = try doubt(base, noting: &highest) { return .refused(reason) }
    var links: [Link] = []
    var next = base?.firstSequenceAfterSealed ?? CommitSequence(1)
    while true {
      let before = links.last?.end ?? (base?.lastUserSegment ?? 0, base?.lastUserHash ?? 0)
      let single = try longest(beginningAt: next)
      let parts = try largeCommit(beginningAt: next, after: before)
      if let single, !parts.isEmpty {
        return .refused(
          "segments \(single.identifier) and \(parts[0].identifier) hold two histories")
      }
      guard let last = parts.last ?? single else { break }
      if let single, (single.header.predecessor, single.header.predecessorHash) != before {
        return .refused("segment \(single.identifier) does not follow segment \(before.0)")
      }
      links += parts.isEmpty ? [last] : parts
      // Parts without records may be made to follow themselves.
      guard links.count <= found.count else {
        return .refused("segment \(last.identifier) follows itself")
      }
      next = CommitSequence(last.extent.lastSequence.rawValue + 1)
    }
    if let highest, highest.sequence >= next {
      return .refused("segment \(highest.segment) holds commits up to \(highest.sequence)")
    }
    if let reason = try fork(in: links) ?? gap(at: next) { return .refused(reason) }
    if let reason = try brokenCommit(behind: links, at: next) { return .refused(reason) }
    if base == nil, !isNewestWrittenWithCopies {
      return .refused("an older version of the library wrote it, which left no copy of it")
    }
    return .chain(links)
  }

  /// Of the user segments that begin with one sequence, the one that goes furthest.
  ///
  /// There are several after a crash: a tail and its copy, which may be unfinished, or a segment
  /// that was begun in vain. All must hold the same commits, as far as they go, and none may say
  /// that more was durable than the furthest has.
  private func longest(beginningAt first: CommitSequence) throws(LogError) -> Link? {
    let links = try candidates(beginningAt: first)
    guard let best = links.last else { return nil }
    for link in links {
      var reason = try link.extent.contradiction(to: best.extent.lastSequence)
      if link.identifier != best.identifier, !best.extent.continues(link.extent) {
        reason = reason ?? "segment \(best.identifier) has other commits in its place"
      }
      guard let reason else { continue }
      throw .corruption(
        CorruptionReport(
          file: StoreDirectory.segment(link.identifier).description, offset: link.extent.end,
          reason: reason))
    }
    // A later copy that is whole may be in force: then what goes further was not.
    let whole = links.last { later in
      later.identifier > best.identifier && later.extent.lastSequence >= first
        && links.contains {
          $0.identifier < later.identifier && $0.extent.lastSequence == later.extent.lastSequence
        }
    }
    if let later = whole {
      throw .corruption(
        CorruptionReport(
          file: StoreDirectory.segment(best.identifier).description, offset: best.extent.end,
          reason: "segment \(later.identifier) is later and ends before it"))
    }
    return best.extent.lastSequence >= first ? best : nil
  }

  /// The user segments that begin with one sequence, the one that goes furthest last; with digests
  /// of where each ends when there are several.
  private func candidates(beginningAt first: CommitSequence) throws(LogError) -> [Link] {
    var links: [Link] = []
    // A segment may hold very many commits, and mostly there is none to compare it with.
    var ends: Set<CommitSequence> = []
    repeat {
      ends = Set(links.map(\.extent.lastSequence))
      links = []
      for segment in found {
        guard let header = segment.header, header.stream == .user, !header.holdsParts,
          header.firstSequence == first
        else { continue }
        let extent = try SegmentExtent(of: segment, header, in: directory, digestsAt: ends)
        links.append(Link(identifier: segment.identifier, header: header, extent: extent))
      }
    } while links.count > 1 && ends.isEmpty
    return links.sorted {
      ($0.extent.lastSequence, $0.identifier) < ($1.extent.lastSequence, $1.identifier)
    }
  }

  /// A segment that begins in the middle of one of the chain: when it was begun, what the other
  /// holds from there on was not part of the store. One without any commit was begun in vain.
  private func fork(in links: [Link]) throws(LogError) -> String? {
    for segment in found {
      guard let header = segment.header, header.stream == .user else { continue }
      let forked = links.first { link in
        link.header.firstSequence < header.firstSequence
          && header.firstSequence <= link.extent.lastSequence
      }
      if let forked, try hasFrames(segment, header) {
        return "segments \(forked.identifier) and \(segment.identifier) hold two histories"
      }
    }
    return nil
  }

  /// Whether anything but zeros stands behind the header.
  private func hasFrames(
    _ segment: FoundSegment, _ header: SegmentHeader
  ) throws(LogError) -> Bool {
    let scanner = try segment.scanner(in: directory, of: header)
    do throws(FileIOError) {
      return try !scanner.isZero(from: UInt64(SegmentHeader.byteCount))
    } catch { throw .fileIO(error) }
  }

  /// What says that there were commits at or after `next`, where the chain ends.
  private func gap(at next: CommitSequence) -> String? {
    for segment in found {
      if let header = segment.header, header.stream == .user, !header.holdsParts,
        header.firstSequence > next
      {
        return "the commits before segment \(segment.identifier) are missing"
      }
      if let copy = segment.copy, copy.lastSequence >= next {
        return "the commits up to \(copy.lastSequence) are missing"
      }
    }
    return nil
  }

  /// Files that may hold what the base does not know, and cannot be read.
  ///
  /// Notes which output that it does not know holds the highest sequence: those of a compaction
  /// that was not published lie beside what they were made of, and know of nothing else.
  private func doubt(
    _ base: Manifest?, noting highest: inout OutputEnd?
  ) throws(LogError) -> String? {
    let mark = base?.nextSegment ?? 0
    for segment in found
    where segment.identifier.rawValue >= mark || segment.identifier == base?.activeSegment {
      guard let header = segment.header else {
        if segment.hasContents { return "the header of segment \(segment.identifier) is damaged" }
        continue
      }
      guard header.stream == .compaction, segment.copy == nil,
        let end = try outputEnd(of: segment, header)
      else { continue }
      guard !end.isFollowed else {
        return "the copy of it in segment \(segment.identifier) is damaged"
      }
      if highest.map({ $0.sequence < end.sequence }) ?? true { highest = end }
    }
    return nil
  }

  /// What the footer of a compaction's output tells.
  private struct OutputEnd {
    let segment: SegmentIdentifier
    /// The highest one of its records.
    let sequence: CommitSequence
    /// Whether more than zeros stands behind the footer.
    let isFollowed: Bool
  }

  /// Nothing where no footer verifies.
  private func outputEnd(
    of segment: FoundSegment, _ header: SegmentHeader
  ) throws(LogError) -> OutputEnd? {
    var scanner = try segment.scanner(in: directory, of: header)
    do throws(FileIOError) {
      while true {
        switch try scanner.next() {
        case .frame: continue
        case .end, .damaged: return nil
        case .footer(let footer):
          return OutputEnd(
            segment: segment.identifier, sequence: footer.header.firstSequence,
            isFollowed: try !scanner.isZero(from: footer.end))
        }
      }
    } catch { throw .fileIO(error) }
  }

  /// Whether the newest user segment is of a version that leaves copies.
  ///
  /// Then a chain from the beginning to its end is the whole history of the store, unless a later
  /// compaction removed user segments behind it: but that one would have left a copy.
  private var isNewestWrittenWithCopies: Bool {
    let newest = found.last { $0.header?.stream == .user }
    return (newest?.header?.formatVersion ?? 0) >= FormatVersion.leavesCopies
  }

  /// Of the segments and runs that there are, but for those that the store did not make.
  private func highestIdentifier(of base: Manifest) throws(LogError) -> UInt32 {
    let names = try directory.names()
    let runs = names.compactMap { StoreDirectory.runIdentifier(of: $0)?.rawValue }
    let own = found.last { $0.header != nil }?.identifier.rawValue ?? 0
    let mark = max(base.nextSegment, own)
    return (found.map(\.identifier.rawValue) + runs).filter {
      $0 < LogLimits.segmentIdentifier - 1 && !LogLimits.isOutOfReach($0, of: mark)
    }.max() ?? 0
  }

  /// Replays the chain; its last segment becomes the tail, though it may have been sealed.
  private func replay(
    _ links: [Link], after base: Manifest, _ damage: CorruptionReport
  ) throws(LogError) -> RecoveredState {
    var manifest = base
    manifest.segments.removeAll { !$0.isSealed }
    manifest.activeSegment = nil
    manifest.runs = []
    // Of those that followed nothing is known.
    manifest.sessions = []
    manifest.generation = found.reduce(base.generation) { max($0, $1.copy?.generation ?? 0) } + 1
    manifest.nextSegment = max(base.nextSegment, try highestIdentifier(of: base) + 1)
    var state = Recovery.sealedState(
      of: manifest, in: directory, configuration: configuration, reusing: known)
    for (position, link) in links.enumerated() {
      let known = position == 0 ? base.segments.first { !$0.isSealed } : nil
      var descriptor = known ?? SegmentDescriptor(active: link.identifier, salt: link.header.salt)
      descriptor.identifier = link.identifier
      descriptor.salt = link.header.salt
      try Recovery.replay(
        descriptor, in: directory, configuration: configuration,
        takesParts: link.header.holdsParts, into: &state)
      guard state.tail?.end == link.extent.end else {
        throw refusal(damage, "segment \(link.identifier) changed while it was read")
      }
      if position < links.count - 1 || link.header.holdsParts {
        try Recovery.seal(
          link.extent.closingHash, in: directory, configuration: configuration, into: &state)
      }
    }
    if let tail = state.tail {
      state.manifest.segments.append(tail.account.descriptor)
      state.manifest.activeSegment = tail.segment.identifier
    }
    state.isManifestRebuilt = true
    state.report.rebuiltManifest = damage
    return state
  }
}

extension FoundSegment {
  /// Whether this is the segment that a manifest lists.
  fileprivate func isFile(of listed: SegmentDescriptor) -> Bool {
    guard let header else { return false }
    return identifier == listed.identifier && header.salt == listed.salt
      && header.stream == listed.stream
  }
}

extension Manifest {
  /// The sequence with which the segment begins that was active, or would be begun next.
  fileprivate var firstSequenceAfterSealed: CommitSequence {
    if let active = segments.first(where: { !$0.isSealed }), active.recordCount > 0 {
      return active.minimumSequence
    }
    return CommitSequence(lastSequence.rawValue + 1)
  }
}
