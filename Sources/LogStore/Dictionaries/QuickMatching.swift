/// Compresses payloads with the longest match that is found at each position, and goes on behind
/// it; see ``DictionaryMatching`` for who has more time.
enum QuickMatching {
  /// Compresses `payload` into `target`; returns the size, or 0 when it does not fit.
  ///
  /// `memory` is for ``PayloadPlaces``, and may hold anything.
  static func compress(
    _ payload: UnsafeRawBufferPointer, with matcher: DictionaryMatcher.Lent,
    _ memory: UnsafeMutablePointer<UInt16>, into target: UnsafeMutableRawBufferPointer
  ) -> Int {
    guard let source = payload.baseAddress, let base = target.baseAddress,
      payload.count <= DictionaryMatcher.payloadByteCountMaximum
    else { return 0 }
    let places = PayloadPlaces(memory, payloadByteCount: payload.count)
    var block = SequenceWriter(base, end: target.count)
    let matchEnd = payload.count - DictionaryMatcher.matchFreeByteCount
    var literalStart = 0
    var position = 0
    while position < matchEnd {
      var match = matcher.match(source, payload.count, at: position, places, long: nil)
      guard match.length >= DictionaryMatcher.matchByteCountMinimum else {
        position += 1
        continue
      }
      while position > literalStart,
        matcher.matchesBefore(source, position, distance: match.distance)
      {
        position -= 1
        match.length += 1
      }
      block.write(
        source + literalStart, literalCount: position - literalStart,
        readable: payload.count - literalStart, distance: UInt16(match.distance),
        length: match.length)
      position += match.length
      literalStart = position
    }
    block.write(source + literalStart, literalCount: payload.count - literalStart)
    return block.isFull ? 0 : block.count
  }
}
