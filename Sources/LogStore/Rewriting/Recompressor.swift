internal import BinaryCoding

/// Decides which records of a rewrite are compressed anew, and against what. Used by one thread.
final class Recompressor {
  // Unchecked, as one thread changes it for each record, and no code of others runs meanwhile.
  @exclusivity(unchecked) private var choice: DictionaryChoice
  private let effort: CompressionEffort
  private var payload = ByteWriter(capacity: 4 << 10)
  /// Dictionaries that are lost, once each.
  private(set) var damages: [CorruptionReport] = []

  init(_ choice: DictionaryChoice, effort: CompressionEffort) {
    self.choice = choice
    self.effort = effort
  }

  /// What is to be done with a verified record: the payload that it is encoded anew with if that
  /// makes it smaller, and against what; or nothing when it stays as it is.
  ///
  /// It stays because that is best, because it was compressed with as much effort before, against
  /// the same dictionary or, where time counts, against any, or because its dictionary is lost.
  func smaller(
    _ record: RecordDecoder.Decoded, in segment: Segment, at offset: UInt32
  ) throws(LogError) -> (payload: UnsafeRawBufferPointer, dictionary: CompressionDictionary)? {
    let header = record.header
    if effort == .quick, header.dictionary != 0 {
      try noteIfLost(record, in: segment, at: offset)
      return nil
    }
    guard header.kind == .put,
      let dictionary = choice.dictionary(of: header.collection, header.schemaVersion),
      dictionary.compresses,
      dictionary.identifier.rawValue != header.dictionary
        || segment.isQuick,
      let raw = try raw(record, in: segment, at: offset)
    else { return nil }
    return (raw, dictionary)
  }

  /// Notes that the dictionary of a record is lost, if it is.
  @inline(__always)
  private func noteIfLost(
    _ record: RecordDecoder.Decoded, in segment: Segment, at offset: UInt32
  ) throws(LogError) {
    if segment.dictionaries.known(for: record.header) == nil {
      _ = try raw(record, in: segment, at: offset)
    }
  }

  /// The payload of a record; nothing when its dictionary is lost.
  private func raw(
    _ record: RecordDecoder.Decoded, in segment: Segment, at offset: UInt32
  ) throws(LogError) -> UnsafeRawBufferPointer? {
    if record.header.compression == .none { return record.storedPayload }
    do throws(LogError) {
      return try segment.payload(of: record, at: offset, decompressedInto: &payload)
    } catch .corruption(let damage) where damage.lostDictionary != nil {
      if !damages.contains(where: { $0.lostDictionary == damage.lostDictionary }) {
        damages.append(damage)
      }
      return nil
    }
  }
}
