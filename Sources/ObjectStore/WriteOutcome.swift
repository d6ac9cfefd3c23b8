internal import LogStore
internal import SchemaRegistry

/// What a write leaves behind for others besides its records.
struct WriteOutcome: Sendable {
  /// In a box: most commits describe nothing, and each handles the outcome several times.
  private final class Description: Sendable {
    let catalog: SchemaCatalog

    init(_ catalog: SchemaCatalog) { self.catalog = catalog }
  }

  /// What the store knows of its data from then on; nothing while that is the same.
  private var description: Description?
  private var changes: NotedChanges?
  private var ticket: UInt64?

  init() {}

  /// That of a transaction whose body has returned.
  init(_ transaction: StoreTransaction) {
    if let described = transaction.described { description = Description(described) }
    changes = transaction.changes
  }

  /// The commit is appended; under the writer's lock.
  mutating func install(in reader: UpgradingReader) {
    if let description { ticket = reader.install(description.catalog) }
  }

  /// The commit is through.
  func show(in reader: UpgradingReader) { reader.show(ticket) }

  /// Tells those who watch, once readers see it.
  func tell(_ watches: ChangeWatches) { watches.tell(changes) }
}
