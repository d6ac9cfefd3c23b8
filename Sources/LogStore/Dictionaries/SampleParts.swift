internal import BinaryCoding

/// The parts of six bytes that payloads of a sample have, and in how many of them each occurs: what
/// dictionaries of any pieces are made of. Pure, and the same for the same payloads.
struct SampleParts {
  /// The payloads, one behind the other.
  private let bytes: [UInt8]
  /// For each byte the slot of the part that begins with it, also across the end of a payload.
  private let slots: [UInt32]
  /// In how many payloads the parts of a slot occur; none, where in one alone.
  private let frequencies: [UInt32]

  /// Matches are found by a hash of five bytes; one more makes chance hits rare.
  private static let partByteCount = 6
  private static let slotCountLog2: UInt64 = 17

  /// Costs some nanoseconds a byte, and memory for five more.
  init(of payloads: [[UInt8]]) {
    bytes = payloads.flatMap { $0 }
    slots = Self.slots(of: bytes)
    frequencies = Self.frequencies(of: payloads.map(\.count), slots)
  }

  private static func slots(of bytes: [UInt8]) -> [UInt32] {
    let count = max(bytes.count - partByteCount + 1, 0)
    return [UInt32](unsafeUninitializedCapacity: count) { slots, initializedCount in
      bytes.withBytes { bytes in
        for start in 0..<count {
          let part =
            start + 8 <= bytes.count
            ? UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)) >> 16
            : bytes[start..<(start + partByteCount)].reduce(0) { $0 << 8 | UInt64($1) }
          slots[start] = slot(of: part)
        }
      }
      initializedCount = count
    }
  }

  private static func slot(of part: UInt64) -> UInt32 {
    UInt32((part &* 0x9E37_79B9_7F4A_7C15) >> (64 - slotCountLog2))
  }

  private static func frequencies(of byteCounts: [Int], _ slots: [UInt32]) -> [UInt32] {
    var frequencies = [UInt32](repeating: 0, count: 1 << slotCountLog2)
    // The last payload that had the part: the first is 1.
    var last = [UInt32](repeating: 0, count: 1 << slotCountLog2)
    var start = 0
    for (number, byteCount) in byteCounts.enumerated() {
      defer { start += byteCount }
      guard byteCount >= partByteCount else { continue }
      for slot in slots[start...(start + byteCount - partByteCount)] {
        let slot = Int(slot)
        if last[slot] == UInt32(number + 1) { continue }
        last[slot] = UInt32(number + 1)
        frequencies[slot] += 1
      }
    }
    // What one payload alone has does not help the others.
    return frequencies.map { $0 > 1 ? $0 : 0 }
  }

  /// Pieces of payloads that together hold the parts that most payloads have: after the idea of
  /// cover training (Liao, Petri, Moffat and Wirth, 2016); `byteCount` bytes at most.
  ///
  /// The sample is cut into as many stretches as pieces fit the dictionary. Of each the piece is
  /// taken whose parts occur in most payloads; parts that were taken count no more.
  func covering(_ byteCount: Int, pieces pieceByteCount: Int) -> [UInt8] {
    let partCount = bytes.count - Self.partByteCount + 1
    guard partCount > pieceByteCount else { return [UInt8](bytes.prefix(byteCount)) }
    let stretch = max(partCount / max(byteCount / pieceByteCount, 1), pieceByteCount)
    let window = pieceByteCount - Self.partByteCount + 1
    var frequencies = self.frequencies
    var pieces: [(score: Int, start: Int)] = []
    for first in stride(from: 0, through: partCount - window, by: stretch) {
      let starts = first..<max(first + 1, min(first + stretch, partCount - window))
      let best = best(of: starts, window, frequencies)
      for slot in slots[best.start..<(best.start + window)] { frequencies[Int(slot)] = 0 }
      pieces.append(best)
    }
    // The best at the end: what is entered last stays in the tables.
    let order = pieces.indices.sorted {
      (pieces[$0].score, pieces[$0].start) < (pieces[$1].score, pieces[$1].start)
    }
    let joined = order.flatMap { index in
      bytes[pieces[index].start..<(pieces[index].start + pieceByteCount)]
    }
    return [UInt8](joined.suffix(byteCount))
  }

  /// The first of `starts`, not none, whose window of parts occurs in most payloads.
  private func best(
    of starts: Range<Int>, _ window: Int, _ frequencies: [UInt32]
  ) -> (score: Int, start: Int) {
    let first = starts.lowerBound
    var score = slots[first..<(first + window)].reduce(0) { $0 + Int(frequencies[Int($1)]) }
    var best = (score: score, start: first)
    for start in starts.dropFirst() {
      score += Int(frequencies[Int(slots[start + window - 1])])
      score -= Int(frequencies[Int(slots[start - 1])])
      if score > best.score { best = (score, start) }
    }
    return best
  }
}
