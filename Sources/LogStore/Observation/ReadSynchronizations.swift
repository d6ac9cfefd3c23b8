internal import FileIO

/// Synchronizes files of segments that are only read, and remembers those where that failed, as
/// ``FirstFailure`` does for files that are written.
///
/// Each by itself: a writer goes on in others. By what the segment is, not by what is open of it:
/// opened again, such a file would seem to be synchronized. Safe on any thread.
final class ReadSynchronizations: Sendable {
  private struct Failure {
    let segment: SegmentIdentifier
    let salt: UInt64
    let cause: FileIOError
  }

  /// Held while a synchronization goes on, which calls nobody.
  private let failures = Lock<[Failure]>([])

  /// Synchronizes the file of a segment, which another process may have written, unless that failed
  /// before; file systems without writing say that there is nothing to synchronize.
  ///
  /// - Throws: what synchronizing it threw the first time that it did.
  func synchronize(_ file: any File, of segment: Segment) throws(FileIOError) {
    let (identifier, salt) = (segment.identifier, segment.salt)
    try failures.withLock { (failures) throws(FileIOError) in
      let known = failures.first { $0.segment == identifier && $0.salt == salt }
      if let known { throw known.cause }
      do throws(FileIOError) { try file.synchronize() } catch {
        guard !error.tellsOfNothingToSynchronize else { return }
        if !PlantedBug.failedSynchronizationForgiven.isPlanted {
          failures.append(Failure(segment: identifier, salt: salt, cause: error))
        }
        throw error
      }
    }
  }
}
