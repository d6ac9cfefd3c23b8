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
    guard let memory, let part = part(of: hash) else { return nil }
    var search = RunLocator.Search(hash)
    guard let place = search.next(in: part), place < pagesByteCount else { return nil }
    let head = format.headerByteCount + place / RunFormat.unit * RunFormat.unit
    guard let base = memory.baseAddress, head + RunFormat.unit <= memory.count else { return nil }
    Prefetch.read(base + head, count: RunPage.mergedHeaderByteCount + PagePacking.byteCount)
    Prefetch.read(base + format.headerByteCount + place, count: 1)
    return place
  }

  /// The key's fields, where the page's head says where they are.
  func prefetchFields(at place: Int) {
    guard let memory, let base = memory.baseAddress else { return }
    let start = format.headerByteCount + place / RunFormat.unit * RunFormat.unit
    guard start + RunFormat.unit <= memory.count else { return }
    let page = UnsafeRawBufferPointer(rebasing: memory[start..<(start + RunFormat.unit)])
    if let offset = RunPage.offsetInPacked(page, at: place % RunFormat.unit) {
      Prefetch.read(base + start + offset, count: RunPage.prefetchedFieldByteCount)
    }
  }

  private func part(of hash: UInt64) -> UnsafeRawBufferPointer? {
    guard let memory, partCount > 0 else { return nil }
    let number = RunLocator.part(of: hash, partCount: partCount)
    let start = format.headerByteCount + pagesByteCount + number * RunLocator.partByteCount
    guard start + RunLocator.partByteCount <= memory.count else { return nil }
    return UnsafeRawBufferPointer(rebasing: memory[start..<(start + RunLocator.partByteCount)])
  }
}
