internal import FileIO

/// A segment that is read for what can be saved of it.
struct SalvageVictim {
  let identifier: SegmentIdentifier
  /// Nothing where it is lost with the segment's header, and nobody else knows it.
  let salt: UInt64?
  /// Where the records end; 0 where nobody says so.
  var dataEnd: UInt64 = 0
  /// Records of the store up to here were durable, as far as is known without the segment.
  var durableSequence = CommitSequence.zero
  var commits = Commits.whole

  var name: FileName { StoreDirectory.segment(identifier) }

  /// What is known of the commits that the segment's frames belong to.
  enum Commits: Equatable {
    /// All were finished.
    case whole
    /// It holds parts of a large one that is not whole: nothing of it is taken.
    case torn
    /// It may hold such parts. Frames that begin with one of the sequences go on where a part ends
    /// whose commit is not whole.
    case unknown(after: Set<UInt64>)
  }
}

extension SalvageVictim {
  /// A segment that a manifest lists, which knows of records up to `durableSequence` that they were
  /// durable.
  init(_ descriptor: SegmentDescriptor, durableSequence: CommitSequence = .zero) {
    self.init(
      identifier: descriptor.identifier, salt: descriptor.salt, dataEnd: descriptor.dataEnd,
      durableSequence: durableSequence)
  }

  /// Whether nothing but its records says where they end.
  var isOpen: Bool { dataEnd == 0 }
}
