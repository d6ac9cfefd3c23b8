/// Finds what payloads to come are compressed against, mostly many of one version. Used by one
/// thread.
struct DictionaryChoice {
  private let dictionaries: DictionaryShelf
  private let compression: LogConfiguration.Compression
  private var newest: (version: CollectionVersion, dictionary: CompressionDictionary?)?

  init(_ dictionaries: DictionaryShelf, _ compression: LogConfiguration.Compression) {
    self.dictionaries = dictionaries
    self.compression = compression
  }

  /// The newest dictionary of a version, if it has one.
  mutating func dictionary(
    of collection: CollectionIdentifier, _ schemaVersion: UInt64
  ) -> CompressionDictionary? {
    if compression == .none || collection.isReserved || dictionaries.isEmpty { return nil }
    let version = CollectionVersion(collection: collection, schemaVersion: schemaVersion)
    if newest?.version == version { return newest?.dictionary }
    let found = dictionaries.newest(of: version)
    newest = (version, found)
    return found
  }
}
