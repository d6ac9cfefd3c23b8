/// The sequences of an LZ4 block, in memory that is lent.
struct SequenceList {
  /// Literals, then a match.
  struct Sequence {
    /// Where its token lies in the block.
    var offset: Int32
    /// Where its distance lies in the block.
    var distanceOffset: Int32
    /// Where its literals begin in the payload.
    var literalStart: Int32
    /// Where its match begins in the payload, and where it ends.
    var start: Int32
    var end: Int32
    /// How far before its beginning the match refers.
    var distance: Int32
  }

  private let sequences: UnsafeMutablePointer<Sequence>
  /// Those with a match.
  let count: Int

  init(_ sequences: UnsafeMutablePointer<Sequence>, count: Int) {
    self.sequences = sequences
    self.count = count
  }

  /// A sequence with a match or, behind them, the literals at the end.
  subscript(number: Int) -> Sequence {
    @inline(__always) get { sequences[number] }
  }

  /// The first from `first` on whose match ends at `end` or behind it, or ``count``.
  @inline(__always)
  func first(from first: Int, endingAt end: Int) -> Int {
    var lower = first
    // Mostly it is this one, or the next.
    if lower > 0, Int(sequences[lower - 1].end) >= end { lower = search(before: lower, end) }
    while lower < count, Int(sequences[lower].end) < end { lower += 1 }
    return lower
  }

  private func search(before first: Int, _ end: Int) -> Int {
    var lower = 0
    var upper = first
    while lower < upper {
      let middle = (lower + upper) / 2
      if Int(sequences[middle].end) < end { lower = middle + 1 } else { upper = middle }
    }
    return lower
  }
}
