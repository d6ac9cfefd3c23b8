/// Where the copy of a record of the catalog or the ledger lies.
///
///     key of a copy := collection(1 byte: 0 the catalog, 1 the ledger) key
///
/// All objects of a type need the few bytes that describe it. So a later commit than the one that
/// wrote these puts them once more, and a salvage that finds the copy alone puts them back.
package enum CatalogCopy {
  /// The key of the catalog's record of indexes.
  package static let indexesKey: [UInt8] = [3]
  /// The key, which is none of a copy, of what a salvage notes beside the copies, and what it notes
  /// when it lost something.
  package static let lossKey: [UInt8] = [0xFF]
  package static let loss: [UInt8] = [1]

  /// The key of the copy of what lies under `key` in `collection`.
  ///
  /// - Precondition: it is the catalog or the ledger.
  package static func key(of key: [UInt8], in collection: CollectionIdentifier) -> [UInt8] {
    precondition(
      collection == .catalog || collection == .ledger, "only what describes data is copied")
    return [collection == .catalog ? 0 : 1] + key
  }

  /// What the copy under `key` is of; nothing for a key that no copy has.
  package static func original(
    of key: [UInt8]
  ) -> (collection: CollectionIdentifier, key: [UInt8])? {
    guard let tag = key.first, key.count > 1, tag <= 1 else { return nil }
    return (tag == 0 ? .catalog : .ledger, Array(key.dropFirst()))
  }
}
