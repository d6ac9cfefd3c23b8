internal import FileIO

/// Remembers that synchronizing a file or directory failed, and lets one thread do it at a time.
///
/// Systems tell of such a failure once for each open file: a synchronization that comes second, or
/// meanwhile, would succeed, though what the first one should have written is lost. Safe on any
/// thread.
final class FirstFailure: Sendable {
  /// Held while a synchronization goes on, which calls nobody.
  private let failure = Lock<FileIOError?>(nil)

  /// Calls `body`, unless it failed before.
  ///
  /// - Throws: what `body` threw the first time that it did.
  func remembering(_ body: () throws(FileIOError) -> Void) throws(FileIOError) {
    try failure.withLock { (failure) throws(FileIOError) in
      if let failure { throw failure }
      do throws(FileIOError) { try body() } catch {
        if !PlantedBug.failedSynchronizationForgiven.isPlanted { failure = error }
        throw error
      }
    }
  }
}
