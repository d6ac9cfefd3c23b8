internal import BinaryCoding

/// Asking for the memory that a look-up is going to need, step by step, before it is done.
///
/// Nothing that is read here is believed: bytes that were not checked yet give at worst an address
/// of no use. A run that is not in memory asks for nothing.
extension IndexRun {
  /// The line of the locator, or of the filter, where the search for a hash begins.
  func prefetchLine(_ hash: UInt64) {
    if let filterBytes {
      return RunFilter.prefetch(hash, in: filterBytes)
    }
    if let part = part(of: hash), let base = part.baseAddress {
      Prefetch.read(
        base + RunLocator.line(of: hash) * RunLocator.lineByteCount,
        count: RunLocator.lineByteCount)
    }
  }

  /// The head of the page that the line names first, and the key's fields where they are known by
  /// their place; returns that place.
  func prefetchPage(_ hash: UInt64) -> Int? {
    guard let part = part(of: hash) else { return nil }
    var search = RunLocator.Search(hash)
    guard let place = search.next(in: part), place < pagesByteCount,
      let page = unit(around: place), let base = page.baseAddress
    else { return nil }
    Prefetch.read(base, count: RunPage.mergedHeaderByteCount + PagePacking.byteCount)
    Prefetch.read(base + place % RunFormat.unit, count: 1)
    return place
  }

  /// The key's fields, where the page's head says where they are.
  func prefetchFields(at place: Int) {
    guard let page = unit(around: place), let base = page.baseAddress,
      let offset = RunPage.offsetInPacked(page, at: place % RunFormat.unit)
    else { return }
    Prefetch.read(base + offset, count: RunPage.prefetchedFieldByteCount)
  }

  /// The key's fields, where they lie if the page is packed as the one that was asked last.
  ///
  /// They come while the page's head does, and not after it.
  func prefetchGuess(at place: Int) {
    guard let memory, let base = memory.baseAddress, let guess = guessedOffset(at: place),
      guess < memory.count
    else { return }
    Prefetch.read(base + guess, count: RunPage.prefetchedFieldByteCount)
  }

  /// Where in the run the fields lie then; nothing where a packed page would have ended before.
  func guessedOffset(at place: Int) -> Int? {
    let position = place % RunFormat.unit
    guard let offset = packedShape.offset(ofKeyAt: position), offset < RunFormat.unit else {
      return nil
    }
    return format.headerByteCount + place - position + offset
  }

  /// The unit of a page in which a place lies.
  private func unit(around place: Int) -> UnsafeRawBufferPointer? {
    bytes(from: place / RunFormat.unit * RunFormat.unit, count: RunFormat.unit)
  }

  private func part(of hash: UInt64) -> UnsafeRawBufferPointer? {
    guard partCount > 0 else { return nil }
    let number = RunLocator.part(of: hash, partCount: partCount)
    return bytes(
      from: pagesByteCount + number * RunLocator.partByteCount, count: RunLocator.partByteCount)
  }

  /// Bytes behind the header, where they are in memory.
  private func bytes(from place: Int, count: Int) -> UnsafeRawBufferPointer? {
    let start = format.headerByteCount + place
    guard let memory, start + count <= memory.count else { return nil }
    return UnsafeRawBufferPointer(rebasing: memory[start..<(start + count)])
  }
}
