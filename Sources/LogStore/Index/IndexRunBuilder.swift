internal import BinaryCoding

/// Builds the index run of one segment from keys in ascending order; memory is the run's own size
/// and a hash for each key.
struct IndexRunBuilder: ~Copyable {
  private let salt: UInt64
  private var page: RunPageBuilder
  private var pages = ByteWriter(capacity: 16 << 10)
  private var directory = RunDirectoryBuilder()
  private var hashes: [UInt64] = []
  private var tombstoneCount: UInt64 = 0
  private var minimumSequence = CommitSequence(UInt64.max)
  private var maximumSequence = CommitSequence.zero

  /// `salt` is bound into the checksums: the salt of the segment the run belongs to. Tests compare
  /// packed pages with those that are not.
  init(salt: UInt64, packs: Bool = true) {
    self.salt = salt
    page = RunPageBuilder(.packedFooter, packs: packs)
  }

  /// Keys added so far.
  var keyCount: Int { hashes.count }

  /// Adds a key that sorts after all keys added before.
  mutating func append(_ key: IndexKey, _ value: IndexValue) {
    if !page.append(key, value) {
      flushPage()
      let fits = page.append(key, value)
      precondition(fits, "an empty page must take any key")
    }
    hashes.append(RunFilter.hash(CollectionIdentifier(key.collection), key.buffer))
    minimumSequence = min(minimumSequence, value.sequence)
    maximumSequence = max(maximumSequence, value.sequence)
    if value.isTombstone { tombstoneCount += 1 }
  }

  /// The finished run.
  consuming func finish() -> ByteWriter {
    if !page.isEmpty {
      let lastKey = [UInt8](page.lastKey)
      flushPage()
      let collection = page.collection
      lastKey.withBytes {
        directory.append($0, collection: collection, place: UInt64(pages.count))
      }
    }
    let pageCount = directory.pageCount
    let table = directory.finish()
    let filter = RunFilter.make(hashes)
    let header = IndexRunHeader(
      format: .packedFooter, pageCount: pageCount, keyCount: UInt64(hashes.count),
      tombstoneCount: tombstoneCount, minimumSequence: hashes.isEmpty ? .zero : minimumSequence,
      maximumSequence: maximumSequence, pagesByteCount: UInt64(pages.count),
      directoryByteCount: UInt64(table.count), filterByteCount: UInt64(filter.count),
      directoryChecksum: Checksum.crc32c(table.bytes),
      filterChecksum: filter.withBytes { Checksum.crc32c($0) })
    var run = ByteWriter(
      capacity: IndexRunHeader.byteCount + pages.count + table.count + filter.count)
    header.encode(to: &run, salt: salt)
    run.writeBytes(pages.bytes)
    run.writeBytes(table.bytes)
    run.writeBytes(filter)
    return run
  }

  private mutating func flushPage() {
    let place = UInt64(pages.count)
    directory.append(page.firstKey, collection: page.collection, place: place)
    directory.endPage(byteCount: page.flush(to: &pages, salt: salt, place: place))
  }
}
