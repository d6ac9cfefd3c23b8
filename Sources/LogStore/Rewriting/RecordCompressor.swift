internal import BinaryCoding

/// Compresses payloads as well as is known, for they are written to stay, or quickly. Used by one
/// thread.
final class RecordCompressor {
  // Unchecked, as one thread changes them for each record, and no code of others runs meanwhile.
  @exclusivity(unchecked) private var choice: DictionaryChoice
  @exclusivity(unchecked) private var compressed = ByteWriter(capacity: 4 << 10)
  @exclusivity(unchecked) private var wasLarge = false
  private let compression: LogConfiguration.Compression
  private let effort: CompressionEffort
  private let state = CompressionState.make()

  init(
    _ dictionaries: DictionaryShelf, _ compression: LogConfiguration.Compression,
    _ effort: CompressionEffort
  ) {
    choice = DictionaryChoice(dictionaries, compression)
    self.compression = compression
    self.effort = effort
  }

  deinit { state.giveBack() }

  /// The compressed payload, valid until the next, or nothing when too little is saved.
  func compress(
    _ raw: UnsafeRawBufferPointer, against dictionary: CompressionDictionary?
  ) -> UnsafeRawBufferPointer? {
    // Memory for a large payload is not kept.
    if wasLarge { compressed = ByteWriter(capacity: 4 << 10) }
    wasLarge = raw.count > RewritePortion.largeByteCount
    let size = RecordCompression.compress(
      raw, against: dictionary, effort, savesAnything: compression == .always, into: &compressed,
      with: state)
    return size.map { UnsafeRawBufferPointer(rebasing: compressed.bytes[..<$0]) }
  }

  /// What new payloads of a version are compressed against.
  func dictionary(
    of collection: CollectionIdentifier, _ schemaVersion: UInt64
  ) -> CompressionDictionary? { choice.dictionary(of: collection, schemaVersion) }

  /// Whether a payload of a version with this dictionary is worth trying.
  func tries(_ dictionary: CompressionDictionary?) -> Bool {
    compression != .none && (compression == .always || dictionary?.compresses ?? true)
  }
}
