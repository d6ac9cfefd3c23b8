internal import BinaryCoding

/// Following the directory, and proving that it led to the right page.
///
/// Pages carry checksums, lie one behind the other from the first byte to the last, and ascend. So
/// a page with a key not above the one that is looked for, and with one above it or a neighbour
/// that begins with one, is the page where that key would be, whoever named it. Only where a search
/// ends at the edge of a page is more read than without the proof. See
/// Documentation/Decisions/0059-pages-prove-the-directory.md.
extension IndexRun {
  /// Where a page lies, as the directory says.
  func place(ofPage page: Int) throws(RunDamage) -> Range<Int> {
    do throws(BinaryDecodingError) {
      return try directory.place(ofPage: page)
    } catch { throw damageOfDirectory(error) }
  }

  /// The page from which a walk from `key` on starts, as the directory says.
  func firstPage(from key: IndexKey) throws(RunDamage) -> Int {
    do throws(BinaryDecodingError) {
      return try directory.firstPage(from: key)
    } catch { throw damageOfDirectory(error) }
  }

  private func damageOfDirectory(_ error: BinaryDecodingError) -> RunDamage {
    .damaged("\(format.name)'s directory: \(error)")
  }

  /// What is thrown when pages contradict the directory.
  func wrongPage(_ page: Int) -> RunDamage {
    .damaged("\(format.name)'s directory names a wrong page \(page)")
  }

  /// Lends a page that was checked.
  @inline(__always)
  func withDecodedPage<Result>(
    _ number: Int, _ body: (RunPage) throws(BinaryDecodingError) -> Result
  ) throws(RunDamage) -> Result {
    try withPage(at: number) { (bytes) throws(RunDamage) in
      do throws(BinaryDecodingError) {
        return try body(RunPage(bytes, format: format))
      } catch { throw .damaged("\(format.name)'s page \(number): \(error)") }
    }
  }

  /// What ``find(_:hash:_:)`` says, by a search of the directory and a page, whatever filter or
  /// locator say. What is learned of the page helps later guesses.
  func search(
    _ key: IndexKey, _ guess: InterpolatedPlaces.Guess? = nil
  ) throws(RunDamage) -> IndexValue? {
    guard directory.encloses(key) else { return nil }
    let number = try firstPage(from: key)
    let found = try withDecodedPage(number) { (page) throws(BinaryDecodingError) in
      page.collection == key.collection ? try page.find(key) : nil
    }
    if let guess, !guess.isNoted {
      let place = try place(ofPage: number)
      try withPage(at: number) { note($0, startingAt: place.lowerBound, for: guess) }
    }
    if let found { return found }
    let cut = try withDecodedPage(number) { (page) throws(BinaryDecodingError) in
      (position: try page.position(of: key), of: page.count)
    }
    // The first of its page it is not, or it would have been found.
    if cut.position == 0 { throw wrongPage(number) }
    try check(cut, on: number, for: key)
    return nil
  }

  /// Throws unless all keys of the run below `key` lie before a position of a page, or on pages
  /// before it, and all others from there on.
  func check(
    _ cut: (position: Int, of: Int), on page: Int, for key: IndexKey
  ) throws(RunDamage) {
    guard cut.position == 0 || cut.position == cut.of else { return }
    let place = try place(ofPage: page)
    if cut.position == 0, place.lowerBound > 0 {
      guard try order(ofFirstKeyOn: page, with: key) == 0 else { throw wrongPage(page) }
    }
    if cut.position == cut.of, place.upperBound < pagesByteCount {
      guard page + 1 < directory.pageCount,
        try self.place(ofPage: page + 1).lowerBound == place.upperBound,
        try order(ofFirstKeyOn: page + 1, with: key) > 0
      else { throw wrongPage(page) }
    }
  }

  private func order(ofFirstKeyOn page: Int, with key: IndexKey) throws(RunDamage) -> Int {
    try withDecodedPage(page) { (page) throws(BinaryDecodingError) in
      try page.order(ofKeyAt: 0, with: key)
    }
  }

  /// Throws unless the outermost pages have the keys that the directory says, and lie outermost.
  func checkBounds() throws(RunDamage) {
    guard let (first, last) = directory.bounds else {
      if pagesByteCount > 0 { throw wrongPage(0) }
      return
    }
    let end = directory.pageCount - 1
    let lastOrder = try withDecodedPage(end) { (page) throws(BinaryDecodingError) in
      try page.order(ofKeyAt: page.count - 1, with: last)
    }
    guard lastOrder == 0, try place(ofPage: end).upperBound == pagesByteCount else {
      throw wrongPage(end)
    }
    guard try order(ofFirstKeyOn: 0, with: first) == 0, try place(ofPage: 0).lowerBound == 0 else {
      throw wrongPage(0)
    }
  }

  /// Throws unless the directory names a page's first key; `verify` asks.
  func checkLine(ofPage page: Int) throws(RunDamage) {
    let key: IndexKey
    do throws(BinaryDecodingError) { key = try directory.key(ofPage: page) } catch {
      throw damageOfDirectory(error)
    }
    guard try order(ofFirstKeyOn: page, with: key) == 0 else { throw wrongPage(page) }
  }
}
