internal import BinaryCoding
internal import FileIO
internal import Synchronization

/// A sorted, immutable index: of one segment in its footer, or of many in a file of its own.
///
/// Opening it costs the same for any number of keys: the header and the outermost pages are
/// checked. Other pages and parts of a locator are checked when they are first used, a footer's
/// filter when it has been missed often enough, and what a directory says is proven by the pages it
/// leads to. An exact look-up of an absent key costs the cache miss of the filter or locator; of a
/// present one, a page more, which a footer finds by a search of its directory. Where keys were
/// found before, the page is guessed, and read at the same time. Safe on any thread.
final class IndexRun: Sendable {
  let header: IndexRunHeader
  let directory: RunDirectory
  /// Of a footer only.
  private let filter: MappedRunBytes?
  private let source: RunPageSource
  /// The filter, and the whole run when it is in memory: `filter` and `source` keep them. Look-ups
  /// go through these, because they must not count references.
  nonisolated(unsafe) let filterBytes: UnsafeRawBufferPointer?
  nonisolated(unsafe) let memory: UnsafeRawBufferPointer?
  let format: RunFormat
  /// Between which its keys lie: those of others cost no cache miss.
  let heads: KeyHeads
  /// Where a merged run keeps what it reads from its file.
  private let cache: (pages: RunPageCache, run: RunIdentifier)?
  private let salt: UInt64
  /// The pages, of a footer by number, of a merged run by unit; then the parts of the locator.
  let checked: CheckedPages
  private let filterState = Atomic(FilterState.unknown)
  /// How the page lay that was asked last.
  let packedShape = PackedShape()
  /// What look-ups guess by.
  let interpolation = Interpolation()
  /// Look-ups that went without the filter.
  private let unfilteredCount = Atomic(0)
  let pagesByteCount: Int
  /// Parts of the locator; 0 in a footer.
  let partCount: Int

  /// Opens the run whose bytes `source` gives; throws a reason when they are damaged.
  init(
    _ source: RunPageSource, salt: UInt64, isMerged: Bool = false,
    cache: (pages: RunPageCache, run: RunIdentifier)? = nil
  ) throws(RunDamage) {
    self.cache = cache
    self.salt = salt
    self.source = source
    memory = source.memory
    let header = try Self.header(of: source, salt: salt, isMerged: isMerged)
    let format = header.format
    self.header = header
    self.format = format
    let pagesEnd = format.headerByteCount + Int(header.pagesByteCount)
    let directoryByteCount = Int(header.directoryByteCount)
    let filterByteCount = Int(header.filterByteCount)
    let directoryStart = isMerged ? pagesEnd + filterByteCount : pagesEnd
    let directoryBytes = try source.bytes(directoryStart..<(directoryStart + directoryByteCount))
    do throws(BinaryDecodingError) {
      directory = try RunDirectory(
        directoryBytes, pageCount: Int(header.pageCount),
        pagesByteCount: Int(header.pagesByteCount))
    } catch { throw .damaged("\(format.name)'s directory: \(error)") }
    heads = KeyHeads(directory.bounds)
    pagesByteCount = Int(header.pagesByteCount)
    if isMerged {
      filter = nil
      filterBytes = nil
      partCount = filterByteCount / RunLocator.partByteCount
      checked = CheckedPages(count: pagesByteCount / RunFormat.unit + partCount)
    } else {
      let start = directoryStart + directoryByteCount
      let bytes = try source.bytes(start..<(start + filterByteCount))
      filter = bytes
      filterBytes = bytes.buffer
      partCount = 0
      checked = CheckedPages(count: Int(header.pageCount))
    }
    try checkBounds()
    // What was read to the end may as well be checked.
    if memory == nil { try checkWhole() }
  }

  deinit { checked.deallocate() }

  private static func header(
    of source: RunPageSource, salt: UInt64, isMerged: Bool
  ) throws(RunDamage) -> IndexRunHeader {
    let bytes = try source.bytes(0..<RunFormat.headerByteCount(isMerged: isMerged))
    defer { withExtendedLifetime(bytes) {} }
    let header: IndexRunHeader
    do throws(BinaryDecodingError) {
      header = try IndexRunHeader(decoding: bytes.buffer, salt: salt)
    } catch { throw .damaged("\(RunFormat.name(isMerged: isMerged))'s header: \(error)") }
    guard header.format.isMerged == isMerged, let total = header.runByteCount,
      total == UInt64(source.byteCount), header.isPossible,
      bytes.buffer[IndexRunHeader.byteCount...].allSatisfy({ $0 == 0 })
    else { throw .damaged("\(RunFormat.name(isMerged: isMerged))'s parts do not add up") }
    return header
  }

  /// What its bytes lie in, when they are in memory.
  var mapping: MappedBytes? { source.mapping }

  /// Gives back the memory of a mapped run until it is read again; for those who have read it from
  /// end to end, and beside those who read it.
  func forgetPages() { source.forgetPages() }

  /// The value of `key`, tombstones included; `hash` is the key's ``RunFilter/hash(_:_:)``.
  ///
  /// What is learned about the page of a `guess` helps later ones.
  func find(
    _ key: IndexKey, hash: UInt64, _ guess: InterpolatedPlaces.Guess? = nil
  ) throws(RunDamage) -> IndexValue? {
    if !heads.mayContain(key) { return nil }
    if let filterBytes {
      return try isRuledOut(hash, by: filterBytes) ? nil : try search(key, guess)
    }
    let part = RunLocator.part(of: hash, partCount: partCount)
    return try withPart(part) { (part) throws(RunDamage) in
      var candidates = RunLocator.Search(hash)
      while let place = candidates.next(in: part) {
        if let found = try find(key, atPlace: place) { return found }
      }
      return nil
    }
  }

  /// The same, where it can be had without counting references. Where keys lie is guessed first.
  func fastAnswer(_ key: IndexKey, hash: UInt64) -> FastAnswer {
    guard let memory else { return .unknown }
    if !heads.mayContain(key) { return .absent }
    let guess = guess(key)
    if let guess, let known = answer(key, hash: hash, by: guess) { return known }
    do throws(RunDamage) {
      let found =
        format.isMerged
        ? try find(key, hash: hash, in: memory, guess) : try find(key, hash: hash, guess)
      interpolation.tell(found != nil, hash: hash)
      return found.map { .found($0) } ?? .absent
    } catch { return .unknown }
  }

  /// What ``find(_:hash:_:)`` finds in a merged run; without closures, for which a reference to the
  /// run would be counted.
  private func find(
    _ key: IndexKey, hash: UInt64, in memory: UnsafeRawBufferPointer,
    _ guess: InterpolatedPlaces.Guess?
  ) throws(RunDamage) -> IndexValue? {
    let part = RunLocator.part(of: hash, partCount: partCount)
    let located = try bytes(
      in: memory, at: place(ofPart: part), isChecked: number(ofPart: part), as: .part)
    var candidates = RunLocator.Search(hash)
    while let place = candidates.next(in: located) {
      if let found = try find(key, atPlace: place, in: memory, guess) { return found }
    }
    return nil
  }

  /// The same as ``find(_:atPlace:)``. Apart from the search in the locator, which is short, and
  /// all there is for an absent key.
  @inline(never)
  private func find(
    _ key: IndexKey, atPlace place: Int, in memory: UnsafeRawBufferPointer,
    _ guess: InterpolatedPlaces.Guess?
  ) throws(RunDamage) -> IndexValue? {
    let start = place / RunFormat.unit * RunFormat.unit
    prefetchGuess(at: place)
    let head = try bytes(
      in: memory, at: headOfPage(startingAt: start), isChecked: nil, as: .page)
    let page = try bytes(
      in: memory, at: start..<(start + sizeOfPage(startingAt: start, head)),
      isChecked: start / RunFormat.unit, as: .page)
    packedShape.note(page, at: place - start)
    note(page, startingAt: start, for: guess)
    do throws(BinaryDecodingError) {
      return try RunPage.find(key, atPlace: place - start, inMerged: page)
    } catch { throw .damaged("the run's page at \(start): \(error)") }
  }

  /// False only when the run cannot hold the key. Compaction asks, so the filter is checked at
  /// once: what is left out must not depend on who read before.
  func mayContain(_ key: IndexKey, hash: UInt64) -> Bool {
    guard heads.mayContain(key), directory.encloses(key) else { return false }
    guard let filterBytes else { return true }
    do throws(RunDamage) { try checkFilter(filterBytes) } catch { return true }
    return RunFilter.mayContain(hash, in: filterBytes)
  }

  /// Whether the filter says that no key has the hash; never while it is not checked.
  @inline(__always)
  private func isRuledOut(
    _ hash: UInt64, by filter: UnsafeRawBufferPointer
  ) throws(RunDamage) -> Bool {
    if filterState.load(ordering: .relaxed) != .good, try !checkFilterInTime(filter) {
      return false
    }
    return !RunFilter.mayContain(hash, in: filter)
  }

  /// Whether the filter is checked now: once the look-ups that went without it cost what that does.
  @inline(never)
  private func checkFilterInTime(_ filter: UnsafeRawBufferPointer) throws(RunDamage) -> Bool {
    let count = unfilteredCount.wrappingAdd(1, ordering: .relaxed).newValue
    guard count >= filter.count / RunFilter.byteCountCheckedPerLookup else { return false }
    try checkFilter(filter)
    return true
  }

  private func checkFilter(_ filter: UnsafeRawBufferPointer) throws(RunDamage) {
    if filterState.load(ordering: .relaxed) == .unknown {
      let isGood = Checksum.crc32c(filter) == header.filterChecksum
      filterState.store(isGood ? .good : .damaged, ordering: .relaxed)
    }
    guard filterState.load(ordering: .relaxed) == .good else {
      throw .damaged("the footer's filter has a wrong checksum")
    }
  }

  /// Checks directory and filter byte by byte.
  func checkWhole() throws(RunDamage) {
    guard directory.checksum == header.directoryChecksum else {
      throw .damaged("\(format.name)'s directory has a wrong checksum")
    }
    if let filterBytes { try checkFilter(filterBytes) }
  }

  /// The value of the key at `place`, if that is `key`.
  func find(_ key: IndexKey, atPlace place: Int) throws(RunDamage) -> IndexValue? {
    let start = place / RunFormat.unit * RunFormat.unit
    prefetchGuess(at: place)
    return try withPage(startingAt: start) { (bytes) throws(RunDamage) in
      packedShape.note(bytes, at: place - start)
      do throws(BinaryDecodingError) {
        return try RunPage.find(key, atPlace: place - start, inMerged: bytes)
      } catch { throw .damaged("the run's page at \(start): \(error)") }
    }
  }

  /// Lends the checked bytes of a page.
  func withPage<Result>(
    at page: Int, _ body: (UnsafeRawBufferPointer) throws(RunDamage) -> Result
  ) throws(RunDamage) -> Result {
    let place = try place(ofPage: page)
    if !format.isMerged {
      return try withBytes(at: place, isChecked: page, as: .page, body)
    }
    return try withPage(startingAt: place.lowerBound) { (bytes) throws(RunDamage) in
      guard bytes.count == place.count else {
        throw .damaged("the run's page \(page) has another size than the directory says")
      }
      return try body(bytes)
    }
  }

  /// Lends the page of a merged run that starts at `start`, and tells its own size.
  private func withPage<Result>(
    startingAt start: Int, _ body: (UnsafeRawBufferPointer) throws(RunDamage) -> Result
  ) throws(RunDamage) -> Result {
    let head = try headOfPage(startingAt: start)
    let size = try withBytes(at: head, isChecked: nil, as: .page) { (bytes) throws(RunDamage) in
      try sizeOfPage(startingAt: start, bytes)
    }
    return try withBytes(
      at: start..<(start + size), isChecked: start / RunFormat.unit, as: .page, body)
  }

  /// Where the first bytes of the page that starts at `start` lie.
  @inline(__always)
  private func headOfPage(startingAt start: Int) throws(RunDamage) -> Range<Int> {
    guard start % RunFormat.unit == 0, start < pagesByteCount else {
      throw .damaged("a page of the run lies outside")
    }
    return start..<(start + RunPage.mergedHeaderByteCount)
  }

  /// The size of a page that starts with `head`.
  @inline(__always)
  private func sizeOfPage(
    startingAt start: Int, _ head: UnsafeRawBufferPointer
  ) throws(RunDamage) -> Int {
    let word = UInt32(littleEndian: head.loadUnaligned(fromByteOffset: 20, as: UInt32.self))
    let size = Int(word) & ~(RunFormat.unit - 1)
    // Not verified yet: it must not make anybody read what no page can be.
    guard size > 0, size <= min(pagesByteCount - start, RunFormat.pageByteCountMaximum) else {
      throw .damaged("a page of the run has \(size) bytes")
    }
    return size
  }

  /// What of a run has a checksum of its own.
  enum Piece {
    case page, part
  }

  private func isIntact(_ bytes: UnsafeRawBufferPointer, _ piece: Piece, at place: Int) -> Bool {
    switch piece {
    case .page: RunPage.isIntact(bytes, salt: salt, place: UInt64(place))
    case .part: RunLocator.isIntact(bytes, salt: salt, place: UInt64(place))
    }
  }

  /// Lends the checked bytes of a part of the locator.
  func withPart<Result>(
    _ part: Int, _ body: (UnsafeRawBufferPointer) throws(RunDamage) -> Result
  ) throws(RunDamage) -> Result {
    try withBytes(
      at: place(ofPart: part), isChecked: number(ofPart: part), as: .part, body)
  }

  private func place(ofPart part: Int) -> Range<Int> {
    let start = pagesByteCount + part * RunLocator.partByteCount
    return start..<(start + RunLocator.partByteCount)
  }

  /// By which ``checked`` knows it.
  private func number(ofPart part: Int) -> Int { pagesByteCount / RunFormat.unit + part }

  /// Lends the bytes at a place behind the header; `number` remembers that they were checked.
  @inline(__always)
  private func withBytes<Result>(
    at place: Range<Int>, isChecked number: Int?, as piece: Piece,
    _ body: (UnsafeRawBufferPointer) throws(RunDamage) -> Result
  ) throws(RunDamage) -> Result {
    if let memory {
      return try body(try bytes(in: memory, at: place, isChecked: number, as: piece))
    }
    let start = format.headerByteCount + place.lowerBound
    let bytes = try readBytes(start..<(start + place.count), isChecked: number != nil) {
      isIntact($0, piece, at: place.lowerBound)
    }
    // What was read from a file lives no longer than its owner.
    defer { withExtendedLifetime(bytes) {} }
    return try body(bytes.buffer)
  }

  /// The same of a run in memory.
  @inline(__always)
  func bytes(
    in memory: UnsafeRawBufferPointer, at place: Range<Int>, isChecked number: Int?,
    as piece: Piece
  ) throws(RunDamage) -> UnsafeRawBufferPointer {
    let start = format.headerByteCount + place.lowerBound
    guard start + place.count <= memory.count else { throw .damaged("the run ends too early") }
    let bytes = UnsafeRawBufferPointer(rebasing: memory[start..<(start + place.count)])
    if let number, !checked.contains(number) {
      guard isIntact(bytes, piece, at: place.lowerBound) else { throw damage(at: start) }
      checked.insert(number)
    }
    return bytes
  }

  /// Bytes of a run that is not in memory, which `check` must accept when asked; what was checked
  /// is kept.
  private func readBytes(
    _ place: Range<Int>, isChecked: Bool, _ check: (UnsafeRawBufferPointer) -> Bool
  ) throws(RunDamage) -> MappedRunBytes {
    let key = cache.map {
      RunPageCache.Place(run: $0.run, salt: salt, start: place.lowerBound)
    }
    if let key, let kept = cache?.pages.bytes(at: key), kept.count >= place.count { return kept }
    let bytes = try source.bytes(place)
    guard isChecked else { return bytes }
    guard check(bytes.buffer) else { throw damage(at: place.lowerBound) }
    if let key { cache?.pages.insert(bytes, at: key) }
    return bytes
  }

  private func damage(at start: Int) -> RunDamage {
    .damaged("\(format.name) has a wrong checksum at \(start)")
  }
}
