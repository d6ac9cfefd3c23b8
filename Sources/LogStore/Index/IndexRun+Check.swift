/// Checking every byte of a run, for who does not walk it.
extension IndexRun {
  /// Throws unless pages lie one behind the other, as the directory says, which names their first
  /// keys, and they, the directory, the filter and every part of the locator verify.
  ///
  /// Costs reading it, but what was read before through a mapping.
  func checkPlaces() throws(RunDamage) {
    try checkWhole()
    var end = 0
    for page in 0..<directory.pageCount {
      let place = try place(ofPage: page)
      guard place.lowerBound == end else { throw .damaged("a page lies at \(place.lowerBound)") }
      end = place.upperBound
      try checkLine(ofPage: page)
    }
    guard end == Int(header.pagesByteCount) else { throw .damaged("the pages end at \(end)") }
    for part in 0..<partCount { try withPart(part) { _ throws(RunDamage) in } }
  }
}
