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
  /// Versions of which records were replaced or dropped.
  package private(set) var changedVersions: Set<CollectionVersion> = []
  /// How many of each version were kept, but for what is damaged: that says nothing about others.
  package private(set) var failedCounts: [CollectionVersion: UInt64] = [:]
  /// What was noted last: most records are of the same version as the one before.
  private var lastChanged: CollectionVersion?

  /// How many are listed.
  package static let failureCountMaximum = 1000

  mutating func note(_ outcome: Outcome, of header: RecordHeader) {
    let version = CollectionVersion(
      collection: header.collection, schemaVersion: header.schemaVersion)
    switch outcome {
    case .replaced:
      replacedCount += 1
      noteChanged(version)
    case .dropped:
      droppedCount += 1
      noteChanged(version)
    case .kept(let error):
      keptCount += 1
      if (error as? LogError)?.damage == nil { failedCounts[version, default: 0] += 1 }
      guard failures.count < Self.failureCountMaximum else { return }
      failures.append(Failure(version: version, keyByteCount: header.keyLength, error: error))
    }
  }

  private mutating func noteChanged(_ version: CollectionVersion) {
    if lastChanged == version { return }
    lastChanged = version
    changedVersions.insert(version)
  }
}
