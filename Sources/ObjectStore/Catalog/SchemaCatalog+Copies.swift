internal import LogStore

/// Copies of what describes the data: all objects of a type are lost with the few bytes of its
/// description, so each of these lies in the log twice, in different commits.
extension SchemaCatalog {
  /// Puts a record of the catalog, or the ledger, whose copy is for a later transaction: damage to
  /// one commit must not hit both.
  mutating func put(
    _ key: [UInt8], in collection: CollectionIdentifier = .catalog, _ payload: [UInt8],
    into transaction: Transaction
  ) throws(StoreError) {
    try StoreError.log { () throws(LogError) in
      try transaction.put(key, in: collection, schemaVersion: 0, payload: payload)
    }
    uncopied?.insert(CatalogCopy.key(of: key, in: collection))
  }

  /// Puts the copies that are missing, or out of date, before the transaction describes anything.
  mutating func putCopies(into transaction: Transaction) throws(StoreError) {
    let keys = if let uncopied { uncopied } else { try Self.uncopied(in: transaction) }
    for key in keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      guard let original = CatalogCopy.original(of: key) else { continue }
      try StoreError.log { () throws(LogError) in
        guard let record = try transaction.record(for: original.key, in: original.collection)
        else { return }
        try transaction.put(key, in: .catalogCopies, schemaVersion: 0, payload: record.payload)
      }
    }
    uncopied = []
  }

  /// The keys of copies that are missing, or older than what they are of.
  private static func uncopied(in transaction: Transaction) throws(StoreError) -> Set<[UInt8]> {
    try StoreError.log { () throws(LogError) in
      var keys: Set<[UInt8]> = []
      let all: [(CollectionIdentifier, KeyRange)] = [
        (.catalog, .catalogOfSchemas), (.ledger, .all),
      ]
      for (collection, range) in all {
        let records = try transaction.records(in: collection, keys: range)
        while let (key, record) = try records.next() {
          let copied = CatalogCopy.key(of: key, in: collection)
          let copy = try transaction.record(for: copied, in: .catalogCopies)
          if copy.map({ $0.sequence < record.sequence }) ?? true { keys.insert(copied) }
        }
      }
      return keys
    }
  }

  /// Takes note of collections with live records that nothing describes.
  mutating func noteUndescribed(in log: Log) {
    let known = Set(collections.values).union(indexes.map(\.collection))
    for (version, totals) in log.liveByVersion
    where totals.recordCount > 0 && !version.collection.isReserved {
      if !known.contains(version.collection) { undescribed.insert(version.collection) }
    }
  }
}

extension Store {
  /// Tells of objects that nothing describes, if there are any.
  func tellUndescribed(_ observer: any StoreObserver) {
    let collections = reader.catalog.undescribed
    guard !collections.isEmpty else { return }
    let totals = log.liveByVersion.filter { collections.contains($0.key.collection) }
    observer.observe(
      .undescribed(
        collectionCount: collections.count,
        recordCount: totals.reduce(0) { $0 + $1.value.recordCount }))
  }
}
