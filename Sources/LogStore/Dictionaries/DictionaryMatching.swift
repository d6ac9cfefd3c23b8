internal import BinaryCoding

/// Compresses payloads with those matches of a ``DictionaryMatcher`` that make the block smallest;
/// holds the tables that it needs meanwhile. Used by one thread.
///
/// That takes five times as long as ``QuickMatching``, which takes about as long as LZ4's own
/// compressor does, and gives blocks an eighth smaller, which is worth it where records are written
/// to stay.
///
/// 1. Forwards, find the longest match at each position, in the dictionary or in the payload before
///    it. 2. Backwards, choose at each position what makes the rest smallest: a literal or the
///    match. 3. Forwards again, write what was chosen.
final class DictionaryMatching {
  private static let capacity = DictionaryMatcher.payloadByteCountMaximum + 1
  /// Within a match of more bytes no other one is looked for, but where a match ends.
  private static let sufficientByteCount: UInt16 = 8
  /// How far before the place where it was found a match may begin.
  private static let earlierByteCountMaximum = 16

  private let lengths = UnsafeMutablePointer<UInt16>.allocate(capacity: capacity)
  private let distances = UnsafeMutablePointer<UInt16>.allocate(capacity: capacity)
  /// What the rest costs; while matches are looked for, 1 where one ends.
  private let costs = UnsafeMutablePointer<UInt32>.allocate(capacity: capacity)
  private let memory = UnsafeMutablePointer<UInt16>.allocate(
    capacity: PayloadPlaces.slotCountMaximum)

  deinit {
    lengths.deallocate()
    distances.deallocate()
    costs.deallocate()
    memory.deallocate()
  }

  /// Compresses `payload` into `target`; returns the size, or 0 when it does not fit.
  func compress(
    _ payload: UnsafeRawBufferPointer, with matcher: DictionaryMatcher,
    into target: UnsafeMutableRawBufferPointer
  ) -> Int {
    guard let source = payload.baseAddress,
      payload.count <= DictionaryMatcher.payloadByteCountMaximum
    else { return 0 }
    let matchEnd = payload.count - DictionaryMatcher.matchFreeByteCount
    if matchEnd > 0 {
      findMatches(source, payload.count, matchEnd, matcher.lent, long: matcher.longPlaces)
    }
    choose(payload.count, matchEnd: max(matchEnd, 0))
    return write(source, payload.count, matchEnd: max(matchEnd, 0), into: target)
  }

  /// Within a long match others are passed over, but for the places where matches end: there the
  /// longest often begin.
  private func findMatches(
    _ source: UnsafeRawPointer, _ count: Int, _ matchEnd: Int, _ matcher: DictionaryMatcher.Lent,
    long: PlaceTable.Lent
  ) {
    let places = PayloadPlaces(memory, payloadByteCount: count)
    costs.update(repeating: 0, count: count + 1)
    for position in 0..<matchEnd {
      // What is left of the match before.
      let rest = position == 0 ? 0 : max(lengths[position - 1], 1) - 1
      lengths[position] = rest < DictionaryMatcher.matchByteCountMinimum ? 0 : rest
      distances[position] = position == 0 ? 0 : distances[position - 1]
      guard rest < Self.sufficientByteCount || costs[position] == 1 else { continue }
      let found = matcher.match(source, count, at: position, places, long: long)
      guard found.length >= DictionaryMatcher.matchByteCountMinimum else { continue }
      costs[position + found.length] = 1
      enter(found, at: position, source, matcher)
    }
  }

  /// Enters a match where it is longer than what was found, and where it can begin earlier.
  private func enter(
    _ match: DictionaryMatcher.Match, at position: Int, _ source: UnsafeRawPointer,
    _ matcher: DictionaryMatcher.Lent
  ) {
    var (position, length) = (position, match.length)
    for _ in 0...Self.earlierByteCountMaximum {
      guard length > lengths[position] else { return }
      lengths[position] = UInt16(length)
      distances[position] = UInt16(match.distance)
      guard position > 0, matcher.matchesBefore(source, position, distance: match.distance) else {
        return
      }
      position -= 1
      length += 1
    }
  }

  /// Leaves in `lengths` what is taken: 0 for a literal.
  private func choose(_ count: Int, matchEnd: Int) {
    for position in matchEnd...count { costs[position] = UInt32(count - position) }
    var position = matchEnd - 1
    while position >= 0 {
      var best = costs[position + 1] + 1
      var taken: UInt16 = 0
      let length = Int(lengths[position])
      if length > 0 {
        // A token and a distance, and more bytes for a length above 18.
        let more = length > 18 ? UInt32((length - 19) / 255) + 1 : 0
        let cost = costs[position + length] + 3 + more
        if cost < best {
          best = cost
          taken = UInt16(length)
        }
      }
      costs[position] = best
      lengths[position] = taken
      position -= 1
    }
  }

  private func write(
    _ source: UnsafeRawPointer, _ count: Int, matchEnd: Int,
    into target: UnsafeMutableRawBufferPointer
  ) -> Int {
    guard let base = target.baseAddress else { return 0 }
    var block = SequenceWriter(base, end: target.count)
    var literalStart = 0
    var position = 0
    while position < matchEnd {
      let length = Int(lengths[position])
      guard length > 0 else {
        position += 1
        continue
      }
      block.write(
        source + literalStart, literalCount: position - literalStart,
        readable: count - literalStart, distance: distances[position], length: length)
      position += length
      literalStart = position
    }
    block.write(source + literalStart, literalCount: count - literalStart)
    return block.isFull ? 0 : block.count
  }
}
