/// Finds what payloads to come are compressed against, mostly many of one version. Used by one
/// thread.
struct DictionaryChoice {
  private let dictionaries: DictionaryShelf
  private let compression: LogConfiguration.Compression
  private var newest: (version: CollectionVersion, dictionary: Unmanaged<CompressionDictionary>?)?

  init(_ dictionaries: DictionaryShelf, _ compression: LogConfiguration.Compression) {
    self.dictionaries = dictionaries
    self.compression = compression
  }

  /// The newest dictionary of a version, if it has one.
  mutating func dictionary(
    of collection: CollectionIdentifier, _ schemaVersion: UInt64
  ) -> CompressionDictionary? { lent(of: collection, schemaVersion)?.takeUnretainedValue() }

  /// The same, valid as long as the shelf: threads that share it need not count references to it.
  mutating func lent(
    of collection: CollectionIdentifier, _ schemaVersion: UInt64
  ) -> Unmanaged<CompressionDictionary>? {
    if compression == .none || collection.isReserved || dictionaries.isEmpty { return nil }
    let version = CollectionVersion(collection: collection, schemaVersion: schemaVersion)
    if let newest, newest.version == version { return newest.dictionary }
    // The shelf keeps what it has found.
    let found = dictionaries.newest(of: version).map { Unmanaged.passUnretained($0) }
    newest = (version, found)
    return found
  }
}
