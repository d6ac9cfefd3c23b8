internal import BinaryCoding

/// Compresses payloads as well as is known, for they are written to stay, or quickly. Used by one
/// thread.
final class RecordCompressor {
  // Unchecked, as one thread changes them for each record, and no code of others runs meanwhile.
  @exclusivity(unchecked) private var choice: DictionaryChoice
  @exclusivity(unchecked) private var compressed = ByteWriter(capacity: 4 << 10)
  @exclusivity(unchecked) private var wasLarge = false
  /// Whether the dictionaries of old records and those used now are the same bytes, of all pairs
  /// that were compared.
  @exclusivity(unchecked) private var compared = SmallTable<DictionaryPair, Bool>()
  private let dictionaries: DictionaryShelf
  private let compression: LogConfiguration.Compression
  private let effort: CompressionEffort
  private let state = CompressionState.make()

  private struct DictionaryPair: Hashable, Sendable {
    let old: UInt32
    let new: UInt32
  }

  init(
    _ dictionaries: DictionaryShelf, _ compression: LogConfiguration.Compression,
    _ effort: CompressionEffort
  ) {
    self.dictionaries = dictionaries
    choice = DictionaryChoice(dictionaries, compression)
    self.compression = compression
    self.effort = effort
  }

  deinit { state.giveBack() }

  /// What a payload is stored as.
  struct Stored {
    /// Valid until the next.
    let bytes: UnsafeRawBufferPointer
    let kind: RecordCompressionKind
    /// The identifier of the dictionary, or 0.
    let dictionary: UInt32
  }

  /// What a payload is stored as that a record of `schemaVersion` is to have in `place` of an old
  /// one, of whose `payload` it was made; nothing when too little is saved, or it is not worth
  /// trying.
  func compress(
    _ raw: UnsafeRawBufferPointer, _ schemaVersion: UInt64, in place: RecordDecoder.Decoded,
    madeOf payload: UnsafeRawBufferPointer, _ copies: UnsafeBufferPointer<CopiedRanges.Range>
  ) -> Stored? {
    guard compression != .none else { return nil }
    let lent = choice.lent(of: place.header.collection, schemaVersion)
    let isUsed = lent?._withUnsafeGuaranteedRef { $0.compresses }
    // A dictionary that does not compress says that nothing does.
    if isUsed == false, compression != .always { return nil }
    guard let lent, isUsed == true else {
      return compress(raw, against: nil).map { Stored(bytes: $0, kind: .lz4, dictionary: 0) }
    }
    return lent._withUnsafeGuaranteedRef { dictionary in
      let reuses = !copies.isEmpty && reuses(place.header, dictionary)
      let origin =
        reuses
        ? PayloadOrigin(block: place.storedPayload, payload: payload, copies: copies) : nil
      return compress(raw, madeOf: origin, against: dictionary).map {
        Stored(bytes: $0, kind: .lz4WithDictionary, dictionary: dictionary.identifier.rawValue)
      }
    }
  }

  /// The compressed payload, valid until the next, or nothing when too little is saved.
  func compress(
    _ raw: UnsafeRawBufferPointer, madeOf origin: PayloadOrigin? = nil,
    against dictionary: CompressionDictionary?
  ) -> UnsafeRawBufferPointer? {
    // Memory for a large payload is not kept.
    if wasLarge { compressed = ByteWriter(capacity: 4 << 10) }
    wasLarge = raw.count > RewritePortion.largeByteCount
    let size = RecordCompression.compress(
      raw, madeOf: origin, against: dictionary, effort, savesAnything: compression == .always,
      into: &compressed, with: state)
    return size.map { UnsafeRawBufferPointer(rebasing: compressed.bytes[..<$0]) }
  }

  /// Whether what is compressed in an old record need not be compressed again where `dictionary` is
  /// used now: who has time looks for better matches.
  private func reuses(_ old: RecordHeader, _ dictionary: CompressionDictionary) -> Bool {
    guard effort == .quick, old.compression == .lz4WithDictionary else { return false }
    let pair = DictionaryPair(old: old.dictionary, new: dictionary.identifier.rawValue)
    if let isEqual = compared[pair] { return isEqual }
    let bytes = dictionaries.known(for: old)?.bytes
    let isEqual = bytes.map { dictionary.bytes.elementsEqual($0) } ?? false
    compared[pair] = isEqual
    return isEqual
  }
}
