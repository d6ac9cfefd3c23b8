internal import BinaryCoding

/// Compresses payloads that were made of others against the same dictionary: of bytes that were
/// copied the sequences of the other's block are written again, and only for the rest matches are
/// looked for. For records that a rewrite gives another shape: most of their bytes stay.
///
/// What is said to be copied is compared first.
enum MatchReuse {
  /// Compresses `payload`, made of `origin`, into `target`; returns the size, or 0 when it does not
  /// fit.
  ///
  /// `memory` is for ``PayloadPlaces``, `sequences` for ``SequenceReader``; both may hold anything.
  static func compress(
    _ payload: UnsafeRawBufferPointer, madeOf origin: PayloadOrigin,
    with matcher: DictionaryMatcher.Lent, _ memory: UnsafeMutablePointer<UInt16>,
    _ sequences: UnsafeMutablePointer<SequenceList.Sequence>,
    into target: UnsafeMutableRawBufferPointer
  ) -> Int {
    guard let source = payload.baseAddress, let base = target.baseAddress,
      let old = origin.payload.baseAddress,
      payload.count <= DictionaryMatcher.payloadByteCountMaximum,
      let sequences = SequenceReader.read(
        origin.block, payloadByteCount: origin.payload.count, into: sequences)
    else { return QuickMatching.compress(payload, with: matcher, memory, into: target) }
    let newByteCount = origin.copies.reduce(payload.count) { $0 - min($0, $1.count) }
    var pass = Pass(
      payload: source, byteCount: payload.count, old: old, origin: origin, sequences: sequences,
      matcher: matcher, places: PayloadPlaces(memory, payloadByteCount: newByteCount),
      block: SequenceWriter(base, end: target.count))
    pass.run()
    return pass.block.isFull ? 0 : pass.block.count
  }

  /// The compression of one payload.
  fileprivate struct Pass: ~Copyable {
    let payload: UnsafeRawPointer
    let byteCount: Int
    let old: UnsafeRawPointer
    let origin: PayloadOrigin
    let sequences: SequenceList
    let matcher: DictionaryMatcher.Lent
    let places: PayloadPlaces
    var block: SequenceWriter
    /// Where the next literals begin.
    var literalStart = 0
    var position = 0
    /// The number of the copied range that `position` lies in or before; -1 before the first.
    var range = -1
    /// The first sequence of the other block whose match may go on there.
    var sequence = 0
  }
}

extension MatchReuse.Pass {
  private typealias Match = DictionaryMatcher.Match

  /// In how many ranges before that of a match the place is looked for that it refers to.
  private static var earlierRangeCountMaximum: Int { 16 }

  mutating func run() {
    let matchEnd = byteCount - DictionaryMatcher.matchFreeByteCount
    while position < matchEnd {
      if range < 0 || range < origin.copies.count && origin.copies[range].end <= position {
        beginRange()
        continue
      }
      var match = Match.none
      if range < origin.copies.count, origin.copies[range].start <= position {
        let copied = origin.copies[range]
        if copySequences(copied) { continue }
        guard position < min(matchEnd, copied.end) else { continue }
        match = matcher.match(payload, byteCount, at: position, distance: distance(in: copied))
      }
      if match.length < DictionaryMatcher.matchByteCountMinimum {
        match = matcher.match(payload, byteCount, at: position, places, long: nil)
      }
      if match.length < DictionaryMatcher.matchByteCountMinimum {
        position += 1
      } else {
        write(match)
      }
    }
    block.write(payload + literalStart, literalCount: byteCount - literalStart)
  }

  /// Goes on to the next range that holds what it is said to.
  private mutating func beginRange() {
    range += 1
    while range < origin.copies.count {
      let (start, source) = (origin.copies[range].start, origin.copies[range].source)
      let count = origin.copies[range].count
      if count <= byteCount, start <= byteCount - count, count <= origin.payload.count,
        source <= origin.payload.count - count,
        DictionaryMatcher.sharedByteCount(payload + start, old + source, limit: count) == count
      {
        return
      }
      range += 1
    }
  }

  /// Writes the sequences that lie in `copied` from `position` on, which lies there, if they begin
  /// where the last match ended; or else moves to where the next match begins, or the range ends.
  /// Returns whether it has written any.
  private mutating func copySequences(_ copied: CopiedRanges.Range) -> Bool {
    let shift = copied.start - copied.source
    sequence = sequences.first(
      from: sequence, endingAt: position - shift + DictionaryMatcher.matchByteCountMinimum)
    guard sequence < sequences.count else {
      position = copied.end
      return false
    }
    if position == literalStart, Int(sequences[sequence].literalStart) == position - shift {
      let next = copy(from: sequence, copied, shift)
      if next > sequence {
        position = Int(sequences[next - 1].end) + shift
        literalStart = position
        sequence = next
        return true
      }
    }
    position = max(position, min(Int(sequences[sequence].start) + shift, copied.end))
    return false
  }

  /// Writes the sequences from `first` on that lie in `copied`, up to the first one that cannot
  /// stay as it is but for the distance to the dictionary; returns the number of that one.
  private mutating func copy(from first: Int, _ copied: CopiedRanges.Range, _ shift: Int) -> Int {
    let endMaximum = min(
      copied.source + copied.count, byteCount - DictionaryMatcher.literalsAtEnd - shift)
    let startMaximum = byteCount - DictionaryMatcher.matchFreeByteCount - shift
    var next = first
    while next < sequences.count {
      let sequence = sequences[next]
      let start = Int(sequence.start)
      let end = Int(sequence.end)
      let place = start - Int(sequence.distance)
      guard end <= endMaximum, start <= startMaximum,
        place >= copied.source
          || place + (end - start) <= 0 && start + shift - place <= Int(UInt16.max)
      else { break }
      next += 1
    }
    guard next > first else { return first }
    let offset = Int(sequences[first].offset)
    let part = UnsafeRawBufferPointer(
      rebasing: origin.block[offset..<Int(sequences[next].offset)])
    guard let written = block.write(sequences: part) else { return first }
    guard shift != 0 else { return next }
    for number in first..<next {
      let sequence = sequences[number]
      // Dictionaries stay where they are, before each payload. No branch: each is as likely.
      let more = sequence.distance > sequence.start ? shift : 0
      block.change(
        distance: UInt16(truncatingIfNeeded: Int(sequence.distance) &+ more),
        at: written &+ Int(sequence.distanceOffset) &- offset)
    }
    return next
  }

  /// How far before `position`, which lies in `copied`, what the match of the sequence refers to is
  /// now; 0 when it is not there any more.
  private func distance(in copied: CopiedRanges.Range) -> Int {
    let distance = Int(sequences[sequence].distance)
    let place = position - copied.start + copied.source - distance
    if place >= copied.source { return distance }
    if place < 0 { return position - place }
    for number in max(0, range - Self.earlierRangeCountMaximum)..<range {
      let earlier = origin.copies[number]
      guard earlier.source <= place, place - earlier.source < earlier.count else { continue }
      return position - (place - earlier.source + earlier.start)
    }
    return 0
  }

  /// Writes a match at `position`, and lets it begin earlier where it can.
  private mutating func write(_ match: Match) {
    var length = match.length
    while position > literalStart,
      matcher.matchesBefore(payload, position, distance: match.distance)
    {
      position -= 1
      length += 1
    }
    block.write(
      payload + literalStart, literalCount: position - literalStart,
      readable: byteCount - literalStart, distance: UInt16(match.distance), length: length)
    position += length
    literalStart = position
  }
}
