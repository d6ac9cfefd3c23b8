internal import FileIO

/// Synchronizes files of segments that are only read, and remembers those where that failed, as
/// ``FirstFailure`` does for files that are written.
///
/// Each by itself: a writer goes on in others, and nobody waits for those that are none of its own.
/// By what the segment is, not by what is open of it: opened again, such a file would seem to be
/// synchronized. Safe on any thread.
final class ReadSynchronizations: Sendable {
  /// The file of a segment.
  private struct Place: Hashable {
    let segment: SegmentIdentifier
    let salt: UInt64
  }

  private struct Use {
    let failure = FirstFailure()
    /// How many synchronizations go on, or failed: what has none is forgotten.
    var count = 0
  }

  private let uses = Lock<[Place: Use]>([:])

  /// Synchronizes the file of a segment, which another process may have written, unless that failed
  /// before; file systems without writing say that there is nothing to synchronize.
  ///
  /// Asks for a file that is open, as `opened()` gives it: that it cannot be opened says nothing of
  /// what was written.
  /// - Throws: what synchronizing it threw the first time that it did.
  func synchronize(_ file: any File, of segment: Segment) throws(FileIOError) {
    let place = Place(segment: segment.identifier, salt: segment.salt)
    let failure = uses.withLock { uses in
      var use = uses[place] ?? Use()
      use.count += 1
      uses[place] = use
      return use.failure
    }
    try failure.remembering { () throws(FileIOError) in
      do throws(FileIOError) { try file.synchronize() } catch {
        if !error.tellsOfNothingToSynchronize { throw error }
      }
    }
    uses.withLock { uses in
      uses[place]?.count -= 1
      if uses[place]?.count == 0 { uses[place] = nil }
    }
  }
}
