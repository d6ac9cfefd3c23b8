internal import BinaryCoding

/// Builds an index run from keys in ascending order; memory is the run's own size.
///
/// Keys are collected into pages of one collection, up to 64 keys or about 4 KiB each; a page
/// stores the prefix that its keys share once.
struct IndexRunBuilder: ~Copyable {
  private struct Pending {
    let key: Range<Int>
    let value: IndexValue
  }

  private let salt: UInt64
  private var pages = ByteWriter(capacity: 16 << 10)
  private var directory = ByteWriter(capacity: 1 << 10)
  private var directoryKeys = ByteWriter(capacity: 1 << 10)
  private var pageCount: UInt32 = 0
  private var hashes: [UInt64] = []
  private var pending: [Pending] = []
  private var pendingKeys = ByteWriter(capacity: 8 << 10)
  private var collection: UInt32 = 0
  private var tombstoneCount: UInt64 = 0
  private var minimumSequence = CommitSequence(UInt64.max)
  private var maximumSequence = CommitSequence.zero

  private static let pageByteCountTarget = 4096

  /// `salt` is bound into the checksums: the salt of the segment the run belongs to.
  init(salt: UInt64) { self.salt = salt }

  /// Keys added so far.
  var keyCount: Int { hashes.count }

  /// Adds a key that sorts after all keys added before.
  mutating func append(_ key: IndexKey, _ value: IndexValue) {
    if !pending.isEmpty,
      key.collection != collection || pending.count == RunFormat.footer.pageKeyCountMaximum
        || pendingKeys.count + Int(key.length) > Self.pageByteCountTarget
    {
      flushPage()
    }
    collection = key.collection
    let start = pendingKeys.count
    pendingKeys.writeBytes(key.buffer)
    pending.append(Pending(key: start..<pendingKeys.count, value: value))
    hashes.append(RunFilter.hash(CollectionIdentifier(key.collection), key.buffer))
    minimumSequence = min(minimumSequence, value.sequence)
    maximumSequence = max(maximumSequence, value.sequence)
    if value.isTombstone { tombstoneCount += 1 }
  }

  /// The finished run.
  consuming func finish() -> ByteWriter {
    let lastKey = pending.last?.key
    if let lastKey {
      let key = [UInt8](pendingKeys.bytes[lastKey])
      flushPage()
      key.withBytes { appendToDirectory(firstKey: $0, place: pages.count, length: 0) }
    }
    let filter = RunFilter.make(hashes)
    directory.writeBytes(directoryKeys.bytes)
    let header = IndexRunHeader(
      pageCount: pageCount, keyCount: UInt64(hashes.count), tombstoneCount: tombstoneCount,
      minimumSequence: hashes.isEmpty ? .zero : minimumSequence, maximumSequence: maximumSequence,
      pagesByteCount: UInt64(pages.count), directoryByteCount: UInt64(directory.count),
      filterByteCount: UInt64(filter.count), directoryChecksum: Checksum.crc32c(directory.bytes),
      filterChecksum: filter.withBytes { Checksum.crc32c($0) })
    var run = ByteWriter(
      capacity: IndexRunHeader.byteCount + pages.count + directory.count + filter.count)
    header.encode(to: &run, salt: salt)
    run.writeBytes(pages.bytes)
    run.writeBytes(directory.bytes)
    run.writeBytes(filter)
    return run
  }

  private mutating func flushPage() {
    guard let first = pending.first else { return }
    let start = pages.count
    let prefixLength = sharedPrefixLength()
    let base = pending.reduce(UInt64.max) { min($0, $1.value.sequence.rawValue) }
    pages.writeInteger(UInt32(0))
    pages.writeInteger(collection)
    pages.writeInteger(UInt16(pending.count))
    pages.writeInteger(UInt16(prefixLength))
    pages.writeInteger(base)
    let places = pages.count
    pages.writeZeros(2 * pending.count)
    pages.writeBytes(
      UnsafeRawBufferPointer(rebasing: pendingKeys.bytes[first.key.prefix(prefixLength)]))
    for (position, each) in pending.enumerated() {
      pages.mutableBytes.storeBytes(
        of: UInt16(pages.count - start).littleEndian, toByteOffset: places + 2 * position,
        as: UInt16.self)
      pages.writeLengthPrefixedBytes(
        UnsafeRawBufferPointer(rebasing: pendingKeys.bytes[each.key.dropFirst(prefixLength)]))
      pages.writeVariableLength(each.value.sequence.rawValue - base)
      pages.writeVariableLength(UInt64(each.value.offset))
      pages.writeVariableLength(UInt64(each.value.length))
      pages.writeVariableLength(each.value.schemaVersion << 1 | (each.value.isTombstone ? 1 : 0))
    }
    let page = UnsafeRawBufferPointer(rebasing: pages.bytes[start...])
    let checksum = RunPage.checksum(page, salt: salt, place: UInt64(start))
    pages.mutableBytes.storeBytes(of: checksum.littleEndian, toByteOffset: start, as: UInt32.self)
    appendToDirectory(
      firstKey: UnsafeRawBufferPointer(rebasing: pendingKeys.bytes[first.key]), place: start,
      length: pages.count - start)
    pageCount += 1
    pending.removeAll(keepingCapacity: true)
    pendingKeys.removeAll()
  }

  private mutating func appendToDirectory(
    firstKey: UnsafeRawBufferPointer, place: Int, length: Int
  ) {
    directory.writeInteger(UInt32(place))
    directory.writeInteger(UInt32(length))
    directory.writeInteger(collection)
    directory.writeInteger(UInt32(directoryKeys.count))
    directory.writeInteger(UInt32(firstKey.count))
    directoryKeys.writeBytes(firstKey)
  }

  private func sharedPrefixLength() -> Int {
    guard let first = pending.first, let last = pending.last else { return 0 }
    // Keys ascend, so what the first and the last share, all share.
    let a = pendingKeys.bytes[first.key]
    let b = pendingKeys.bytes[last.key]
    var length = 0
    let limit = min(a.count, b.count)
    while length < limit, a[a.startIndex + length] == b[b.startIndex + length] { length += 1 }
    return length
  }
}
