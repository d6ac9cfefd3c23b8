/// Changes records of some versions while a rewrite carries them over.
package protocol RecordTransformer: Sendable {
  /// Whether records of that version are changed.
  func transforms(_ version: CollectionVersion) -> Bool
  /// What becomes of a record; called by several threads at once, in any order, each with memory of
  /// its own.
  ///
  /// What it throws ends the rewrite.
  func transform(
    _ record: LentRecord, _ memory: inout TransformMemory
  ) throws(LogError) -> RecordTransformation
  /// One that gives the same, for one of the threads of a rewrite: it need not share what it keeps
  /// with others, who count references to it too. Called by that thread. By default the same one.
  func forAnotherThread() -> any RecordTransformer
}

extension RecordTransformer {
  package func forAnotherThread() -> any RecordTransformer { self }
}

/// What becomes of a record.
package enum RecordTransformation: Sendable {
  /// It gets the payload that was appended to ``TransformMemory/new``; key, sequence and commit
  /// time stay.
  case replaced(schemaVersion: UInt64)
  /// A tombstone takes its place, with the same sequence.
  case dropped
  /// It stays as it is, to the bit, and the reason is listed.
  case kept(any Error)
}
