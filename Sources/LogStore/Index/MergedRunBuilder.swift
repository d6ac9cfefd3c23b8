internal import BinaryCoding
internal import FileIO

/// Writes a merged run to a file, from keys in ascending order.
///
/// Pages go out as they fill. The locator needs the number of keys and is made at the end, from the
/// pages as they lie in the file, in slices. So memory is one slice, 16 MiB at most, plus the
/// directory, about a two-hundredth of the run. With long keys it is a larger part, as it has one
/// key of each page: a run ends where the directory has 64 MiB.
struct MergedRunBuilder: ~Copyable {
  /// What was written.
  struct Summary {
    let byteCount: UInt64
    let keyCount: UInt64
    let minimumSequence: CommitSequence
    let maximumSequence: CommitSequence
    let heads: KeyHeads
  }

  /// Why nothing was written.
  enum Failure: Error, Equatable {
    case run(RunDamage)
    /// No locator has room for all of its keys.
    case crowded(HashCrowd)
  }

  private let file: any File
  private let salt: UInt64
  private let directoryByteCountMaximum: Int
  private var page: RunPageBuilder
  private var directory = RunDirectoryBuilder()
  private var buffer = ByteWriter(capacity: MergedRunBuilder.bufferByteCount + (8 << 10))
  /// Where in the file the buffer goes.
  private var bufferStart: UInt64 = 0
  private(set) var keyCount: UInt64 = 0
  private var tombstoneCount: UInt64 = 0
  private var minimumSequence = CommitSequence(UInt64.max)
  private var maximumSequence = CommitSequence.zero
  private var first: KeyHeads.Head = (0, 0)
  private var last: KeyHeads.Head = (0, 0)

  /// Bytes of the directory, above which no key is added.
  static let directoryByteCountMaximum = 64 << 20
  private static let bufferByteCount = 256 << 10
  private static let pageCountBetweenChecks = 256
  private static let slicePartCount = (16 << 20) / RunLocator.partByteCount
  /// Places have 32 bits.
  private static let pagesByteCountMaximum = UInt64(UInt32.max) - (1 << 20)

  private static let format = RunFormat.packedMerged

  /// `file` is empty; `salt` is bound into all checksums. Tests compare packed pages with those
  /// that are not, and have small directories.
  init(
    _ file: any File, salt: UInt64, packs: Bool = true,
    directoryByteCountMaximum: Int = Self.directoryByteCountMaximum
  ) {
    self.file = file
    self.directoryByteCountMaximum = directoryByteCountMaximum
    self.salt = salt
    page = RunPageBuilder(Self.format, packs: packs)
    buffer.writeZeros(Self.format.headerByteCount)
  }

  /// Bytes of the pages so far.
  private var pagesByteCount: UInt64 {
    bufferStart + UInt64(buffer.count) - UInt64(Self.format.headerByteCount)
  }

  /// Of the pages so far.
  var spread: PageSpread {
    PageSpread(
      paddingByteCount: page.paddingByteCount,
      usedByteCount: pagesByteCount - page.paddingByteCount)
  }

  /// False for a key that cannot sort behind all others, by the bytes that they begin with.
  @inline(__always)
  func mayFollow(_ key: IndexKey) -> Bool { (key.collection, key.head) >= last }

  /// Adds a key that sorts behind all others; the value has its segment's ordinal. False when a run
  /// can hold no more.
  mutating func append(_ key: IndexKey, _ value: IndexValue) throws(FileIOError) -> Bool {
    if !page.append(key, value) {
      guard pagesByteCount < Self.pagesByteCountMaximum,
        directory.byteCount < directoryByteCountMaximum
      else { return false }
      try flushPage()
      let fits = page.append(key, value)
      precondition(fits, "an empty page must take any key")
    }
    last = (key.collection, key.head)
    if keyCount == 0 { first = last }
    keyCount += 1
    minimumSequence = min(minimumSequence, value.sequence)
    maximumSequence = max(maximumSequence, value.sequence)
    if value.isTombstone { tombstoneCount += 1 }
    return true
  }

  /// Writes what is left; the caller synchronizes the file. Nothing when no key was added, or when
  /// it was given up: large runs take seconds for their locator.
  consuming func finish(isCancelled: () -> Bool = { false }) throws(Failure) -> Summary? {
    guard keyCount > 0 else { return nil }
    do throws(FileIOError) {
      try finishPages()
    } catch { throw .run(.fileIO(error)) }
    let pagesByteCount = pagesByteCount
    guard let partCount = try writeLocator(isCancelled) else { return nil }
    let pageCount = directory.pageCount
    let table = directory.finish()
    let header = IndexRunHeader(
      format: Self.format, pageCount: pageCount, keyCount: keyCount,
      tombstoneCount: tombstoneCount, minimumSequence: minimumSequence,
      maximumSequence: maximumSequence, pagesByteCount: pagesByteCount,
      directoryByteCount: UInt64(table.count),
      filterByteCount: UInt64(partCount * RunLocator.partByteCount),
      directoryChecksum: Checksum.crc32c(table.bytes), filterChecksum: 0)
    var head = ByteWriter(capacity: Self.format.headerByteCount)
    header.encode(to: &head, salt: salt)
    let directoryStart =
      UInt64(Self.format.headerByteCount) + pagesByteCount + header.filterByteCount
    do throws(FileIOError) {
      try file.write([table.bytes], at: directoryStart)
      try file.write([head.bytes], at: 0)
    } catch { throw .run(.fileIO(error)) }
    return Summary(
      byteCount: directoryStart + UInt64(table.count), keyCount: keyCount,
      minimumSequence: minimumSequence, maximumSequence: maximumSequence,
      heads: KeyHeads(first: first, last: last))
  }

  private mutating func flushPage() throws(FileIOError) {
    let place = pagesByteCount
    directory.append(page.firstKey, collection: page.collection, place: place)
    directory.endPage(byteCount: page.flush(to: &buffer, salt: salt, place: place))
    if buffer.count >= Self.bufferByteCount { try flushBuffer() }
  }

  private mutating func finishPages() throws(FileIOError) {
    let lastKey = [UInt8](page.lastKey)
    let collection = page.collection
    try flushPage()
    try flushBuffer()
    precondition(collection == page.collection, "a page keeps its collection")
    let place = pagesByteCount
    lastKey.withBytes { directory.append($0, collection: collection, place: place) }
  }

  private mutating func flushBuffer() throws(FileIOError) {
    try file.write([buffer.bytes], at: bufferStart)
    bufferStart += UInt64(buffer.count)
    buffer.removeAll()
  }

  /// Writes the locator behind the pages and returns how many parts it has; nothing when given up.
  ///
  /// That a part fills up is next to impossible with honest keys; then all is tried with more,
  /// unless not even as many as there may be would do.
  private borrowing func writeLocator(_ isCancelled: () -> Bool) throws(Failure) -> Int? {
    let leastCount = RunLocator.partCount(forKeys: Int(keyCount))
    let greatestCount = 8 * leastCount + 8
    let located: (partCount: Int?, crowd: HashCrowd?)
    do throws(RunDamage) {
      located = try writeLocator(leastCount...greatestCount, isCancelled)
    } catch { throw .run(error) }
    if let crowd = located.crowd { throw .crowded(crowd) }
    return located.partCount
  }

  /// Nothing at all when given up.
  private borrowing func writeLocator(
    _ partCounts: ClosedRange<Int>, _ isCancelled: () -> Bool
  ) throws(RunDamage) -> (partCount: Int?, crowd: HashCrowd?) {
    var partCount = partCounts.lowerBound
    while try !writeLocator(partCount: partCount, isCancelled) {
      if isCancelled() { return (nil, nil) }
      if partCount == partCounts.lowerBound {
        let crowd = try crowd(partCount: partCounts.upperBound, isCancelled)
        if crowd != nil || isCancelled() { return (nil, crowd) }
      }
      // With as many as there may be all keys have room: there is no crowd.
      guard partCount < partCounts.upperBound else {
        throw .damaged("a locator whose keys were counted has no room for them")
      }
      partCount = min(partCount + partCount / 4 + 1, partCounts.upperBound)
    }
    return (partCount, nil)
  }

  /// What crowd of keys there is in a locator of so many parts; costs reading all pages. What it
  /// says after the work was given up is of no use.
  private borrowing func crowd(
    partCount: Int, _ isCancelled: () -> Bool
  ) throws(RunDamage) -> HashCrowd? {
    var keyCounts = [UInt32](repeating: 0, count: partCount)
    let source = pagesSource
    var key = ByteWriter(capacity: LogLimits.keyByteCount + PagePacking.slackByteCount)
    for number in 0..<Int(directory.pageCount) {
      if number % Self.pageCountBetweenChecks == 0, isCancelled() { return nil }
      let bytes = try writtenBytes(directory.place(ofPage: number), in: source)
      defer { withExtendedLifetime(bytes) {} }
      do throws(BinaryDecodingError) {
        let page = try RunPage(bytes.buffer, format: Self.format)
        let collection = CollectionIdentifier(page.collection)
        key.removeAll()
        key.writeBytes(page.prefix)
        for position in 0..<page.count {
          key.truncate(to: page.prefix.count)
          key.writeBytes(try page.suffix(at: position))
          let hash = RunFilter.hash(collection, key.bytes)
          keyCounts[RunLocator.part(of: hash, partCount: partCount)] += 1
        }
      } catch { throw .damaged("a page that was just written: \(error)") }
    }
    return HashCrowd(keyCounts)
  }

  /// False when a part is full, or the work is given up.
  private borrowing func writeLocator(
    partCount: Int, _ isCancelled: () -> Bool
  ) throws(RunDamage) -> Bool {
    var start = 0
    while start < partCount {
      let parts = start..<min(start + Self.slicePartCount, partCount)
      var builder = RunLocatorBuilder(parts: parts, of: partCount)
      guard try locate(with: &builder, isCancelled),
        let bytes = builder.finish(salt: salt, start: pagesByteCount)
      else { return false }
      let offset = bufferStart + UInt64(start * RunLocator.partByteCount)
      do throws(FileIOError) {
        try file.write([bytes.bytes], at: offset)
      } catch { throw .fileIO(error) }
      start = parts.upperBound
    }
    return true
  }

  /// The pages as they lie in the file.
  private var pagesSource: RunPageSource {
    let start = UInt64(Self.format.headerByteCount)
    return RunPageSource(file: file, start: start, byteCount: Int(pagesByteCount))
  }

  /// The bytes of a page that was written.
  private borrowing func writtenBytes(
    _ place: Range<Int>, in source: RunPageSource
  ) throws(RunDamage) -> MappedRunBytes {
    let bytes = try source.bytes(place)
    guard RunPage.isIntact(bytes.buffer, salt: salt, place: UInt64(place.lowerBound)) else {
      throw .damaged("a page that was just written has a wrong checksum")
    }
    return bytes
  }

  /// Adds the keys of all pages, as they lie in the file; false when a part is full, or the work is
  /// given up.
  private borrowing func locate(
    with builder: inout RunLocatorBuilder, _ isCancelled: () -> Bool
  ) throws(RunDamage) -> Bool {
    let source = pagesSource
    // A word more, as packed suffixes are copied in words.
    var key = ByteWriter(capacity: LogLimits.keyByteCount + PagePacking.slackByteCount)
    for number in 0..<Int(directory.pageCount) {
      if number % Self.pageCountBetweenChecks == 0, isCancelled() { return false }
      let place = directory.place(ofPage: number)
      let bytes = try writtenBytes(place, in: source)
      defer { withExtendedLifetime(bytes) {} }
      do throws(BinaryDecodingError) {
        let page = try RunPage(bytes.buffer, format: Self.format)
        guard try Self.insert(page, at: place.lowerBound, with: &key, into: &builder) else {
          return false
        }
      } catch { throw .damaged("a page that was just written: \(error)") }
    }
    return true
  }

  /// Adds the keys of a page at `start`, put together in `key`; false when a part is full.
  private static func insert(
    _ page: RunPage, at start: Int, with key: inout ByteWriter,
    into builder: inout RunLocatorBuilder
  ) throws(BinaryDecodingError) -> Bool {
    let collection = CollectionIdentifier(page.collection)
    key.removeAll()
    key.writeBytes(page.prefix)
    if let packing = page.packing {
      return insertPacked(page, packing, collection, at: start, with: &key, into: &builder)
    }
    for position in 0..<page.count {
      key.truncate(to: page.prefix.count)
      key.writeBytes(try page.suffix(at: position))
      let fields = UInt32(start + page.place(at: position))
      guard builder.insert(RunFilter.hash(collection, key.bytes), place: fields) else {
        return false
      }
    }
    return true
  }

  /// The same for a packed page, where all suffixes are equally long and `key` holds the prefix:
  /// they are copied in words, with some of what follows them.
  private static func insertPacked(
    _ page: RunPage, _ packing: PagePacking, _ collection: CollectionIdentifier, at start: Int,
    with key: inout ByteWriter, into builder: inout RunLocatorBuilder
  ) -> Bool {
    let prefixLength = page.prefix.count
    let length = prefixLength + packing.suffixByteCount
    key.writeZeros(packing.suffixByteCount + PagePacking.slackByteCount)
    guard let bytes = key.mutableBytes.baseAddress else { return false }
    let whole = UnsafeRawBufferPointer(start: bytes, count: length)
    let prefix = page.wordOfPrefix(packing)
    var suffix = page.packedKey(at: 0, packing)
    for position in 0..<page.count {
      // In one piece, or the hash would wait for it.
      if length <= 8 {
        bytes.storeBytes(
          of: RunPage.word(
            prefix, byteCount: prefixLength, then: suffix.loadUnaligned(as: UInt64.self)),
          as: UInt64.self)
      }
      var copied = length <= 8 ? packing.suffixByteCount : 0
      while copied < packing.suffixByteCount {
        (bytes + prefixLength + copied).storeBytes(
          of: suffix.loadUnaligned(fromByteOffset: copied, as: UInt64.self), as: UInt64.self)
        copied += 8
      }
      suffix += packing.stride
      guard
        builder.insert(RunFilter.hash(collection, whole), place: UInt32(start + position))
      else { return false }
    }
    return true
  }
}
