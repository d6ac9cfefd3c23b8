/// What became of the records that a rewrite was to change.
package struct RewriteTally: Sendable {
  /// What became of one of them.
  enum Outcome: Sendable {
    case replaced
    case dropped
    case kept(any Error)
  }

  /// A record that stayed as it is.
  package struct Failure: Sendable {
    package let version: CollectionVersion
    package let keyByteCount: Int
    package let error: any Error
  }

  package private(set) var replacedCount: UInt64 = 0
  package private(set) var droppedCount: UInt64 = 0
  package private(set) var keptCount: UInt64 = 0
  /// The first of those that were kept, in the order of their keys.
  package private(set) var failures: [Failure] = []

  /// How many are listed.
  package static let failureCountMaximum = 1000

  mutating func note(_ outcome: Outcome, of header: RecordHeader) {
    switch outcome {
    case .replaced: replacedCount += 1
    case .dropped: droppedCount += 1
    case .kept(let error):
      keptCount += 1
      guard failures.count < Self.failureCountMaximum else { return }
      let version = CollectionVersion(
        collection: header.collection, schemaVersion: header.schemaVersion)
      failures.append(Failure(version: version, keyByteCount: header.keyLength, error: error))
    }
  }
}
