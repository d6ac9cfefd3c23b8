internal import BinaryCoding

/// Decides which records of a rewrite are compressed anew, and against what. Used by one thread.
final class Recompressor {
  private var choice: DictionaryChoice
  private let effort: CompressionEffort
  private var payload = ByteWriter(capacity: 4 << 10)
  /// Dictionaries that are lost, once each.
  private(set) var damages: [CorruptionReport] = []

  init(_ choice: DictionaryChoice, effort: CompressionEffort) {
    self.choice = choice
    self.effort = effort
  }

  /// Adds a verified record to `portion`: to be encoded anew if that makes it smaller.
  ///
  /// Or else as it is: because that is best, because it was compressed against the same dictionary
  /// before with as much effort, or because its dictionary is lost.
  func add(
    _ record: RecordDecoder.Decoded, _ sequence: CommitSequence, in segment: Segment,
    at offset: UInt32, to portion: RewritePortion
  ) throws(LogError) {
    let header = record.header
    guard header.kind == .put,
      let dictionary = choice.dictionary(of: header.collection, header.schemaVersion),
      dictionary.compresses,
      dictionary.identifier.rawValue != header.dictionary
        || (effort == .thorough && segment.isQuick),
      let raw = try raw(record, in: segment, at: offset)
    else { return portion.add(record.bytes, header, sequence) }
    portion.add(record, payload: raw, dictionary, sequence)
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
