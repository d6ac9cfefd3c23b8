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
  /// The dictionary that was used last.
  @exclusivity(unchecked) private var last: Known?
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

  /// What is asked of a dictionary for each payload; valid as long as the shelf, which keeps them.
  private struct Known {
    let lent: Unmanaged<CompressionDictionary>
    let identifier: UInt32
    let compresses: Bool
    /// For who compresses quickly.
    let matcher: DictionaryMatcher.Lent?
  }

  /// What a payload is stored as that a record of `schemaVersion` is to have in `place` of an old
  /// one, of whose `payload` it was made; nothing when too little is saved, or it is not worth
  /// trying.
  func compress(
    _ raw: UnsafeRawBufferPointer, _ schemaVersion: UInt64, in place: RecordDecoder.Decoded,
    madeOf payload: UnsafeRawBufferPointer, _ copies: UnsafeBufferPointer<CopiedRanges.Range>
  ) -> Stored? {
    guard compression != .none else { return nil }
    let dictionary = choice.lent(of: place.header.collection, schemaVersion).map { known($0) }
    // A dictionary that does not compress says that nothing does.
    if dictionary?.compresses == false, compression != .always { return nil }
    guard let dictionary, dictionary.compresses else {
      return compress(raw, against: nil).map { Stored(bytes: $0, kind: .lz4, dictionary: 0) }
    }
    let bytes: UnsafeRawBufferPointer?
    if let matcher = dictionary.matcher, raw.count <= DictionaryMatcher.payloadByteCountMaximum {
      let reuses = !copies.isEmpty && reuses(place.header, dictionary)
      let origin =
        reuses ? PayloadOrigin(block: place.storedPayload, payload: payload, copies: copies) : nil
      bytes = compress(raw, madeOf: origin, with: matcher)
    } else {
      bytes = compress(raw, against: dictionary.lent.takeUnretainedValue())
    }
    return bytes.map {
      Stored(bytes: $0, kind: .lz4WithDictionary, dictionary: dictionary.identifier)
    }
  }

  /// Asked once of each dictionary, mostly: threads share it, and what one counts in it another
  /// would wait for.
  private func known(_ lent: Unmanaged<CompressionDictionary>) -> Known {
    if let last, last.lent.toOpaque() == lent.toOpaque() { return last }
    let dictionary = lent.takeUnretainedValue()
    let known = Known(
      lent: lent, identifier: dictionary.identifier.rawValue, compresses: dictionary.compresses,
      matcher: effort == .quick ? dictionary.quickMatcher : nil)
    last = known
    return known
  }

  /// The compressed payload, valid until the next, or nothing when too little is saved.
  func compress(
    _ raw: UnsafeRawBufferPointer, against dictionary: CompressionDictionary?
  ) -> UnsafeRawBufferPointer? {
    withMemory(for: raw) { memory in
      RecordCompression.compress(
        raw, against: dictionary, effort, savesAnything: compression == .always, into: &memory,
        with: state)
    }
  }

  private func compress(
    _ raw: UnsafeRawBufferPointer, madeOf origin: PayloadOrigin?,
    with matcher: DictionaryMatcher.Lent
  ) -> UnsafeRawBufferPointer? {
    withMemory(for: raw) { memory in
      RecordCompression.compress(
        raw, madeOf: origin, with: matcher, savesAnything: compression == .always, into: &memory,
        with: state)
    }
  }

  /// Memory for a large payload is not kept.
  @inline(__always)
  private func withMemory(
    for raw: UnsafeRawBufferPointer, _ body: (inout ByteWriter) -> Int?
  ) -> UnsafeRawBufferPointer? {
    if wasLarge { compressed = ByteWriter(capacity: 4 << 10) }
    wasLarge = raw.count > RewritePortion.largeByteCount
    return body(&compressed).map { UnsafeRawBufferPointer(rebasing: compressed.bytes[..<$0]) }
  }

  /// Whether what is compressed in an old record need not be compressed again where `dictionary` is
  /// used now: who has time looks for better matches.
  private func reuses(_ old: RecordHeader, _ dictionary: Known) -> Bool {
    guard old.compression == .lz4WithDictionary else { return false }
    let pair = DictionaryPair(old: old.dictionary, new: dictionary.identifier)
    if let isEqual = compared[pair] { return isEqual }
    let isEqual = haveSameBytes(old, dictionary)
    compared[pair] = isEqual
    return isEqual
  }

  private func haveSameBytes(_ old: RecordHeader, _ dictionary: Known) -> Bool {
    guard let bytes = dictionaries.known(for: old)?.bytes else { return false }
    return dictionary.lent.takeUnretainedValue().bytes.elementsEqual(bytes)
  }
}
