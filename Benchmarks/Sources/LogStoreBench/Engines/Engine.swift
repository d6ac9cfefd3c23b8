/// One store behind the operations that all engines have; used by any number of threads.
protocol Engine: AnyObject, Sendable {
  /// The engine's name for itself and its version.
  var version: String { get }
  /// Writes one record with the promise the engine was opened with.
  func put(_ record: RecordBytes) throws
  /// The same for a record that follows all that are there.
  func putLast(_ record: RecordBytes) throws
  /// Writes records together: all or none. `inKeyOrder`: they follow all that are there.
  func putBatch(_ records: [RecordBytes], inKeyOrder: Bool) throws
  /// Something that one thread reads with.
  func makeReader() throws -> any EngineReader
  /// What the thread that writes reads with.
  func makeWritingReader() throws -> any EngineReader
  /// Gives back space and puts records in order, while others read and write.
  func compact() throws
  /// The same while nobody else does anything.
  func compactAlone() throws
  /// Closes the store; readers must be gone.
  func close() throws
}

extension Engine {
  func putLast(_ record: RecordBytes) throws { try put(record) }

  func makeWritingReader() throws -> any EngineReader { try makeReader() }

  func compactAlone() throws { try compact() }
}
