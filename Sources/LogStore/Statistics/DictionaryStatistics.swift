/// What one dictionary is and does.
public struct DictionaryStatistics: Sendable, Equatable {
  /// Its number.
  public let identifier: DictionaryIdentifier
  /// The records it was made for; nothing when it is lost.
  public let version: CollectionVersion?
  /// Its size in bytes; 0 when it is lost, or says that these records are not worth compressing.
  public let byteCount: Int
  /// Whether records of its version are compressed against it from now on.
  public let isNewest: Bool
  /// Whether neither of its copies verifies: then the records that need it cannot be read.
  public let isLost: Bool
  /// Records in the segments of the store that need it, dead ones too.
  public let recordCount: UInt64
  /// Bytes of their payloads.
  public let rawByteCount: UInt64
  /// Bytes that these take, compressed.
  public let storedByteCount: UInt64

  /// Stored bytes as a part of all, 0 to 1; nothing while no record needs it.
  public var storedFraction: Double? {
    rawByteCount == 0 ? nil : Double(storedByteCount) / Double(rawByteCount)
  }
}

extension DictionaryStatistics {
  init(_ dictionary: CompressionDictionary, isNewest: Bool, use: DictionaryUse) {
    self.init(
      identifier: dictionary.identifier, version: dictionary.version,
      byteCount: dictionary.bytes.count, isNewest: isNewest, isLost: false, use)
  }

  init(lost identifier: DictionaryIdentifier, use: DictionaryUse) {
    self.init(
      identifier: identifier, version: nil, byteCount: 0, isNewest: false, isLost: true, use)
  }

  private init(
    identifier: DictionaryIdentifier, version: CollectionVersion?, byteCount: Int, isNewest: Bool,
    isLost: Bool, _ use: DictionaryUse
  ) {
    self.init(
      identifier: identifier, version: version, byteCount: byteCount, isNewest: isNewest,
      isLost: isLost, recordCount: use.recordCount, rawByteCount: use.rawByteCount,
      storedByteCount: use.storedByteCount)
  }
}
