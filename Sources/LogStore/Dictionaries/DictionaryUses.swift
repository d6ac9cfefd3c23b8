internal import BinaryCoding

/// How many records of a segment need one dictionary, and what it saves them.
struct DictionaryUse: Equatable, Sendable {
  /// Records ever written with it, dead ones too.
  var recordCount: UInt64 = 0
  /// Bytes of their payloads.
  var rawByteCount: UInt64 = 0
  /// Bytes that these take, compressed.
  var storedByteCount: UInt64 = 0

  mutating func add(_ other: DictionaryUse) {
    recordCount &+= other.recordCount
    rawByteCount &+= other.rawByteCount
    storedByteCount &+= other.storedByteCount
  }
}

/// The dictionaries that records of a segment or a batch need.
struct DictionaryUses: Equatable, Sendable {
  private(set) var uses = SmallTable<UInt32, DictionaryUse>()

  var isEmpty: Bool { uses.isEmpty }
  var highest: UInt32 { uses.entries.map(\.key).max() ?? 0 }

  /// Counts a record by its header.
  mutating func count(_ header: RecordHeader) {
    guard header.compression == .lz4WithDictionary else { return }
    count(header.dictionary, rawLength: header.rawLength, storedLength: header.storedLength)
  }

  mutating func count(_ dictionary: UInt32, rawLength: Int, storedLength: Int) {
    add(
      dictionary,
      DictionaryUse(
        recordCount: 1, rawByteCount: UInt64(rawLength), storedByteCount: UInt64(storedLength)))
  }

  mutating func add(_ dictionary: UInt32, _ use: DictionaryUse) {
    uses.update(dictionary, from: DictionaryUse()) { $0.add(use) }
  }

  mutating func add(_ other: DictionaryUses) {
    for (dictionary, use) in other.uses.entries { add(dictionary, use) }
  }

  /// Ascending by dictionary, so that the same contents give the same bytes.
  var sorted: [(dictionary: UInt32, use: DictionaryUse)] {
    uses.entries.sorted { $0.key < $1.key }.map { (dictionary: $0.key, use: $0.value) }
  }
}
