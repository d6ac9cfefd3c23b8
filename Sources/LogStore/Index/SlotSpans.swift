/// Which slots may have a key, told by one search however many slots there are.
///
/// Where the keys of a slot begin, and behind where they end, all keys are cut into pieces: in each
/// piece lie the same slots. They are the bits of the piece's words, slot 0 the lowest bit of the
/// first. Immutable.
final class SlotSpans: Sendable {
  nonisolated(unsafe) private let starts: UnsafeMutablePointer<KeyHeads.Head>
  nonisolated(unsafe) private let words: UnsafeMutablePointer<UInt64>
  private let pieceCount: Int
  /// How many words say which slots lie in a piece.
  let wordCount: Int

  /// The spans of slots that are all known, in their order.
  ///
  /// Costs sorting them, and for each piece a bit for each slot.
  init(_ spans: UnsafeBufferPointer<KeyHeads>) {
    var cuts: [(head: KeyHeads.Head, slot: Int)] = []
    cuts.reserveCapacity(2 * spans.count)
    for (slot, span) in spans.enumerated() where !span.isEmpty {
      cuts.append((span.first, slot))
      if let behind = KeyHeads.successor(of: span.last) { cuts.append((behind, slot)) }
    }
    cuts.sort { $0.head < $1.head }
    wordCount = (spans.count + 63) / 64
    starts = .allocate(capacity: cuts.count + 1)
    words = .allocate(capacity: (cuts.count + 1) * wordCount)
    // Before all cuts nothing lies.
    starts.initialize(to: (0, 0))
    words.initialize(repeating: 0, count: wordCount)
    var last = 0
    for cut in cuts {
      if starts[last] < cut.head {
        last += 1
        (starts + last).initialize(to: cut.head)
        let before = words + (last - 1) * wordCount
        (before + wordCount).initialize(from: before, count: wordCount)
      }
      // A slot's first cut is where it begins, its second is behind where it ends.
      words[last * wordCount + cut.slot / 64] ^= 1 << UInt64(cut.slot % 64)
    }
    pieceCount = last + 1
  }

  deinit {
    starts.deallocate()
    words.deallocate()
  }

  /// The words of the piece that has keys which begin so; borrowed.
  func slots(at head: KeyHeads.Head) -> UnsafePointer<UInt64> {
    let piece = BranchlessSearch.last(of: pieceCount) { starts[$0] <= head }
    return UnsafePointer(words + piece * wordCount)
  }
}
