internal import BinaryCoding

/// Compresses payloads with a ``DictionaryMatcher``; holds the tables that it needs meanwhile. Used
/// by one thread.
///
/// 1. Forwards, find the longest match at each position, in the dictionary or in the payload before
///    it. 2. Backwards, choose at each position what makes the rest smallest: a literal or the
///    match. 3. Forwards again, write what was chosen.
final class DictionaryMatching {
  private static let capacity = DictionaryMatcher.payloadByteCountMaximum + 1
  private static let slotCountLog2: UInt64 = 10
  /// LZ4 wants the last five bytes to be literals, and no match in the last twelve.
  private static let literalsAtEnd = 5
  private static let matchFreeByteCount = 12

  /// Within a match of more bytes no other one is looked for.
  private static let sufficientByteCount: UInt16 = 16

  private let lengths = UnsafeMutablePointer<UInt16>.allocate(capacity: capacity)
  private let distances = UnsafeMutablePointer<UInt16>.allocate(capacity: capacity)
  private let costs = UnsafeMutablePointer<UInt32>.allocate(capacity: capacity)
  /// The last position of each slot in the payload.
  private let slots = UnsafeMutablePointer<UInt16>.allocate(capacity: 1 << Int(slotCountLog2))

  deinit {
    lengths.deallocate()
    distances.deallocate()
    costs.deallocate()
    slots.deallocate()
  }

  /// Compresses `payload` into `target`; returns the size, or 0 when it does not fit.
  func compress(
    _ payload: UnsafeRawBufferPointer, with matcher: DictionaryMatcher,
    into target: UnsafeMutableRawBufferPointer
  ) -> Int {
    guard let source = payload.baseAddress,
      payload.count <= DictionaryMatcher.payloadByteCountMaximum
    else { return 0 }
    let matchEnd = payload.count - Self.matchFreeByteCount
    if matchEnd > 0 { findMatches(source, payload.count, matchEnd, matcher) }
    choose(payload.count, matchEnd: max(matchEnd, 0))
    return write(source, payload.count, matchEnd: max(matchEnd, 0), into: target)
  }

  private func findMatches(
    _ source: UnsafeRawPointer, _ count: Int, _ matchEnd: Int, _ matcher: DictionaryMatcher
  ) {
    slots.update(repeating: DictionaryMatcher.none, count: 1 << Int(Self.slotCountLog2))
    var position = 0
    while position < matchEnd {
      let limit = count - Self.literalsAtEnd - position
      if position > 0, lengths[position - 1] > Self.sufficientByteCount {
        lengths[position] = lengths[position - 1] - 1
        distances[position] = distances[position - 1]
        position += 1
        continue
      }
      let found = matcher.longest(source + position, limit: limit)
      var length = found.length
      var distance = position + matcher.dictionaryByteCount - found.position
      if distance > Int(UInt16.max) { length = 0 }
      let slot = DictionaryMatcher.slot(source + position, Self.slotCountLog2)
      let earlier = slots[slot]
      slots[slot] = UInt16(position)
      if earlier != DictionaryMatcher.none {
        let shared = DictionaryMatcher.sharedByteCount(
          source + Int(earlier), source + position, limit: limit)
        if shared > length {
          length = shared
          distance = position - Int(earlier)
        }
      }
      let isMatch = length >= DictionaryMatcher.matchByteCountMinimum
      lengths[position] = isMatch ? UInt16(length) : 0
      distances[position] = isMatch ? UInt16(distance) : 0
      position += 1
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
        distance: distances[position], length: length)
      position += length
      literalStart = position
    }
    block.write(source + literalStart, literalCount: count - literalStart)
    return block.isFull ? 0 : block.count
  }
}
