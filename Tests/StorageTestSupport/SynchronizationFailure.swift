/// What an operating system does with the pages that it failed to write (Rebello and others, "Can
/// applications recover from fsync failures?", 2020).
package enum SynchronizationFailure: CaseIterable, Sendable {
  /// Reads still see the new bytes, but nobody will write them: later calls report success.
  case keptAndMarkedClean
  /// Reads see what was last made durable.
  case reverted
  /// Nothing is lost yet, and every later synchronization fails too.
  case sticky
}
