internal import FileIO

/// Which records a salvage has written already.
///
/// Where no manifest tells which segments count, what a compaction was about to replace is taken
/// beside what it had written, and a tail beside its copy. A record of both must be saved once: in
/// two listed segments it would be counted as live in both, and one of them could not be told from
/// a record that was replaced.
struct SavedRecords {
  private let store: StoreIdentifier
  private let directory: any Directory
  private let dictionaries: DictionaryShelf
  private var segments: [Segment] = []
  /// Whether each record is saved as often as it is found, as earlier versions did; for tests.
  @TaskLocal static var savesAll = false

  init(store: StoreIdentifier, in directory: any Directory) {
    self.store = store
    self.directory = directory
    dictionaries = DictionaryShelf(store, in: directory, observer: nil)
  }

  /// Takes in a segment that was written, and synchronized.
  mutating func add(_ descriptor: SegmentDescriptor) {
    segments.append(
      Segment(
        descriptor, store: store, directory: directory, readMode: .buffered,
        dictionaries: dictionaries))
  }

  /// Whether one of them has the record of `key` with that sequence.
  func has(_ key: IndexKey, _ sequence: CommitSequence) throws(LogError) -> Bool {
    if Self.savesAll { return false }
    var hash: UInt64?
    for segment in segments
    where segment.minimumSequence <= sequence && sequence <= segment.maximumSequence {
      let known = hash ?? RunFilter.hash(CollectionIdentifier(key.collection), key.buffer)
      hash = known
      if try segment.find(key, hash: known)?.sequence == sequence { return true }
    }
    return false
  }
}
