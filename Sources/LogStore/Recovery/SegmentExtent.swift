internal import BinaryCoding
internal import FileIO

/// How far the frames of a user segment reach, as they tell themselves.
struct SegmentExtent {
  /// The sequence of the last whole commit; one below the segment's first when there is none.
  private(set) var lastSequence: CommitSequence
  /// The chain hash of its frame, which the next segment's header names.
  private(set) var closingHash: UInt64
  /// Where the frames end.
  private(set) var end: UInt64
  /// The highest sequence that they say was durable.
  private var durableSequence: CommitSequence
  /// Whether a footer stands behind the frames.
  private(set) var isSealed = false
  /// Whether the last frame ends its commit.
  private(set) var endsCommit = false
  /// What its first frame says was durable when it was written: in a large commit, all before it.
  private(set) var sequenceBeforeCommit: CommitSequence?
  /// A checksum of all bodies up to the end of the commits in question, the same in every copy.
  private(set) var digests: [CommitSequence: UInt32] = [:]
  /// What stopped the walk, when it was neither the end nor a footer.
  private var damage: (reason: String, scanner: FrameScanner)?

  /// Reads the frames of a user segment; with digests of the commits that end with `sequences`.
  init(
    of found: FoundSegment, _ header: SegmentHeader, in directory: any Directory,
    digestsAt sequences: Set<CommitSequence> = []
  ) throws(LogError) {
    var scanner = try found.scanner(in: directory, of: header)
    lastSequence = CommitSequence(header.firstSequence.rawValue - 1)
    closingHash = scanner.hash
    end = scanner.offset
    // All before a segment was synchronized before it was begun.
    durableSequence = lastSequence
    var digest: UInt32 = 0
    while true {
      let before = scanner
      let step: FrameScanner.Step
      do throws(FileIOError) { step = try scanner.next() } catch { throw .fileIO(error) }
      switch step {
      case .frame(let frame):
        // The last frame of a large commit ends it.
        guard frame.follows(lastSequence, asPart: header.holdsParts),
          !endsCommit || !header.holdsParts
        else {
          damage = ("the frame's sequence does not follow the one before it", before)
          return
        }
        sequenceBeforeCommit = sequenceBeforeCommit ?? frame.header.durableSequence
        lastSequence = frame.lastSequence
        durableSequence = max(durableSequence, frame.header.durableSequence)
        closingHash = frame.hash
        end = frame.end
        endsCommit = frame.header.flags.contains(.lastOfCommit)
        guard !sequences.isEmpty else { continue }
        digest = Checksum.crc32c(frame.body, continuing: digest)
        if sequences.contains(lastSequence) { digests[lastSequence] = digest }
      case .footer:
        isSealed = true
        return
      case .end:
        return
      case .damaged(let reason):
        damage = (reason, scanner)
        return
      }
    }
  }

  /// Whether the commits of `other` are the first ones of this; both with digests of its last.
  func continues(_ other: SegmentExtent) -> Bool {
    guard other.sequenceBeforeCommit != nil else { return true }
    guard let digest = other.digests[other.lastSequence] else { return false }
    return digests[other.lastSequence] == digest
  }

  /// Why the commits cannot end with `sequence`: something in the file says that later ones were
  /// durable.
  func contradiction(to sequence: CommitSequence) throws(LogError) -> String? {
    guard durableSequence <= sequence else {
      return "records up to \(durableSequence) were durable"
    }
    guard let damage else { return nil }
    do throws(FileIOError) {
      let verdict = try TailVerdict.judge(
        damage.scanner, lastSequence: sequence, durableSequence: durableSequence,
        reason: damage.reason)
      if case .corrupt(let reason) = verdict { return reason }
      return nil
    } catch { throw .fileIO(error) }
  }

  /// Whether a segment with parts of a large commit has its last one, or had it before it was
  /// damaged: then a later frame tells.
  func showsEndOfCommit() throws(LogError) -> Bool {
    guard let damage else { return isSealed && endsCommit }
    if endsCommit { return true }
    do throws(FileIOError) {
      return try damage.scanner.hasHeader { !$0.flags.isDisjoint(with: [.lastOfCommit, .footer]) }
    } catch { throw .fileIO(error) }
  }
}
