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
    try settleSalvage(into: transaction)
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
          let copy = try sequence(ofCopy: copied, in: transaction)
          if copy.map({ $0 < record.sequence }) ?? true { keys.insert(copied) }
        }
      }
      return keys
    }
  }

  /// Nothing for a copy that is missing or damaged: it is put again, and nobody needs the old one.
  private static func sequence(
    ofCopy key: [UInt8], in transaction: Transaction
  ) throws(LogError) -> CommitSequence? {
    do throws(LogError) {
      return try transaction.record(for: key, in: .catalogCopies)?.sequence
    } catch {
      guard error.damage != nil else { throw error }
      return nil
    }
  }

  /// After a salvage that lost something indexes may lack keys, whatever is recorded of them: they
  /// are called incomplete until they are built.
  mutating func doubtIndexes(in snapshot: Snapshot) throws(StoreError) {
    hasLosses = try StoreError.log { () throws(LogError) in
      do throws(LogError) {
        return try snapshot.record(for: CatalogCopy.lossKey, in: .catalogCopies) != nil
      } catch {
        guard error.damage != nil else { throw error }
        return true
      }
    }
    guard hasLosses else { return }
    for position in indexes.indices where indexes[position].phase == .ready {
      indexes[position].phase = .building
    }
  }

  /// Records that indexes are incomplete, so that they can be called complete again.
  mutating func settleSalvage(into transaction: Transaction) throws(StoreError) {
    guard hasLosses else { return }
    if !indexes.isEmpty { try put(Self.indexesKey, encodedIndexes(), into: transaction) }
    try StoreError.log { () throws(LogError) in
      try transaction.delete(CatalogCopy.lossKey, in: .catalogCopies)
    }
    hasLosses = false
  }

  /// Takes note of collections with live records that nothing describes.
  mutating func noteUndescribed(in log: Log) {
    for (version, totals) in log.sortedLive
    where totals.recordCount > 0 && !version.collection.isReserved {
      let collection = version.collection
      let isKnown =
        collections.values.contains(collection)
        || indexes.contains { $0.collection == collection }
      if !isKnown { undescribed.insert(collection) }
    }
  }
}

extension Store {
  /// Puts the copies that no later transaction has put; what fails there is no error, as the next
  /// put makes up for it.
  func putLastCopies() {
    guard reader.hasInstalled, !reader.knownCatalog.isCopied else { return }
    do {
      try write(durability: .process) { transaction in try transaction.copyCatalog() }
    } catch {}
  }

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
