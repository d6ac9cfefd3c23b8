internal import BinaryCoding

/// Builds the index run of one segment from keys in ascending order; memory is the run's own size
/// and a hash for each key.
struct IndexRunBuilder: ~Copyable {
  private let salt: UInt64
  private var page: RunPageBuilder
  /// Room for the header, and the pages so far.
  private var run: ByteWriter
  private var directory = RunDirectoryBuilder()
  private var hashes: [UInt64] = []
  private var first: KeyHeads.Head = (0, 0)
  private var last: KeyHeads.Head = (0, 0)
  private var tombstoneCount: UInt64 = 0
  private var minimumSequence = CommitSequence(UInt64.max)
  private var maximumSequence = CommitSequence.zero

  /// What a key of eight bytes takes in a run, and a little more.
  private static let keyByteCount = 20

  /// `salt` is bound into the checksums: the salt of the segment the run belongs to. Memory for
  /// `keyCount` keys is made at once; there may be more. Tests compare packed pages with those that
  /// are not.
  init(salt: UInt64, keyCount: Int = 0, packs: Bool = true) {
    self.salt = salt
    page = RunPageBuilder(.packedFooter, packs: packs)
    run = ByteWriter(capacity: max(16 << 10, keyCount * Self.keyByteCount))
    run.writeZeros(IndexRunHeader.byteCount)
    hashes.reserveCapacity(keyCount)
  }

  /// Keys added so far.
  var keyCount: Int { hashes.count }

  /// Bytes of the run so far, but for the page that is being filled.
  var byteCount: Int { run.count + directory.byteCount + 2 * hashes.count }

  /// Between which keys those added so far lie; nothing when there are none.
  var heads: KeyHeads? { hashes.isEmpty ? nil : KeyHeads(first: first, last: last) }

  /// Adds a key that sorts after all keys added before.
  mutating func append(_ key: IndexKey, _ value: IndexValue) {
    if !page.append(key, value) {
      flushPage()
      let fits = page.append(key, value)
      precondition(fits, "an empty page must take any key")
    }
    last = (key.collection, key.head)
    if hashes.isEmpty { first = last }
    hashes.append(RunFilter.hash(CollectionIdentifier(key.collection), key.buffer))
    minimumSequence = min(minimumSequence, value.sequence)
    maximumSequence = max(maximumSequence, value.sequence)
    if value.isTombstone { tombstoneCount += 1 }
  }

  /// Adds the keys of a window, which ascend and sort after all keys added before.
  mutating func append(_ window: IndexWindow) {
    for position in 0..<window.count { append(window.key[position], window.value[position]) }
  }

  /// The finished run.
  consuming func finish() -> ByteWriter {
    if !page.isEmpty {
      let lastKey = [UInt8](page.lastKey)
      flushPage()
      let collection = page.collection
      lastKey.withBytes { directory.append($0, collection: collection, place: place) }
    }
    let pagesByteCount = place
    let pageCount = directory.pageCount
    let table = directory.finish()
    let filter = RunFilter.make(hashes)
    let header = IndexRunHeader(
      format: .packedFooter, pageCount: pageCount, keyCount: UInt64(hashes.count),
      tombstoneCount: tombstoneCount, minimumSequence: hashes.isEmpty ? .zero : minimumSequence,
      maximumSequence: maximumSequence, pagesByteCount: pagesByteCount,
      directoryByteCount: UInt64(table.count), filterByteCount: UInt64(filter.count),
      directoryChecksum: Checksum.crc32c(table.bytes),
      filterChecksum: filter.withBytes { Checksum.crc32c($0) })
    run.writeBytes(table.bytes)
    run.writeBytes(filter)
    var encoded = ByteWriter(capacity: IndexRunHeader.byteCount)
    header.encode(to: &encoded, salt: salt)
    run.mutableBytes.copyMemory(from: encoded.bytes)
    return run
  }

  /// Where the next page will lie: behind the header, and counted from its end.
  private var place: UInt64 { UInt64(run.count - IndexRunHeader.byteCount) }

  private mutating func flushPage() {
    let place = place
    directory.append(page.firstKey, collection: page.collection, place: place)
    directory.endPage(byteCount: page.flush(to: &run, salt: salt, place: place))
  }
}
