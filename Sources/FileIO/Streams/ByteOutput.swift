/// A place that takes bytes in order: standard output, standard error, or memory in tests.
///
/// Used by one thread at a time.
public protocol ByteOutput: AnyObject {
  /// What is written to, for messages.
  var name: String { get }

  /// Writes all of `bytes`, continuing after interrupted and short writes.
  ///
  /// - Throws: `.brokenPipe` when the reader of a pipe has gone; see `Signals.ignoreBrokenPipe`.
  func write(_ bytes: UnsafeRawBufferPointer) throws(FileIOError)
}
