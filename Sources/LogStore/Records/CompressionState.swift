internal import BinaryCoding
internal import CLZ4
internal import FileIO

/// What compressing needs of memory, kept from payload to payload: 16 KiB for LZ4, 2 more for quick
/// searches in dictionaries, 24 where matches are used again, 34 for thorough searches, 16 for
/// large payloads with dictionaries, and up to 64 to compress into.
///
/// Clearing it for each payload would cost more than compressing a small one. What it wrote before
/// changes nothing of what it writes next, so equal payloads give equal bytes, where they are
/// made of equal ones. Used by one thread at a time; states that are given back are kept for the
/// next.
final class CompressionState {
  private struct Kept: @unchecked Sendable {
    // Sendable: a kept state is used by nobody until it is taken out.
    var states: [CompressionState] = []
  }

  // Unchecked, as one thread changes them for each payload, and no code of others runs meanwhile.
  private let paddingBefore = CacheLinePadding()
  private let memory: UnsafeMutablePointer<LZ4_stream_t>
  /// Payloads since it was cleared, counted in the distances that LZ4 moves on.
  @exclusivity(unchecked) private var position = 0
  /// For compressing against dictionaries; nothing before the first time. What they hold between
  /// payloads means nothing.
  @exclusivity(unchecked) private var places: UnsafeMutablePointer<UInt16>?
  @exclusivity(unchecked) private var matching: DictionaryMatching?
  @exclusivity(unchecked) private var sequences: UnsafeMutablePointer<SequenceList.Sequence>?
  @exclusivity(unchecked) private var dictionaryMemory: UnsafeMutablePointer<LZ4_stream_t>?
  /// For whoever has the state to compress into.
  @exclusivity(unchecked) var scratch = ByteWriter(capacity: 256)

  private let paddingBehind = CacheLinePadding()

  private static let kept = Lock(Kept())
  private static let keptCountMaximum = 16
  /// Memory for larger payloads is not kept.
  private static let keptScratchByteCountMaximum = 64 << 10
  /// Below the 1 GiB after which LZ4 itself clears it.
  private static let positionMaximum = 512 << 20
  /// How far LZ4 moves on between payloads, so that no reference reaches an earlier one.
  private static let gap = 64 << 10

  private init() { memory = .allocate(capacity: 1) }

  deinit {
    memory.deallocate()
    places?.deallocate()
    sequences?.deallocate()
    dictionaryMemory?.deallocate()
  }

  /// A state that was given back, or a new one.
  static func make() -> CompressionState {
    kept.withLock { kept in kept.states.popLast() } ?? fresh()
  }

  /// A state that remembers nothing.
  static func fresh() -> CompressionState {
    let state = CompressionState()
    state.clear()
    return state
  }

  /// Gives the memory for large payloads back to the system.
  func forgetLargeScratch() {
    if scratch.allocatedByteCount > Self.keptScratchByteCountMaximum {
      scratch = ByteWriter(capacity: 256)
    }
  }

  /// Keeps the state for the next who makes one; whoever calls this does not use it any more.
  func giveBack() {
    forgetLargeScratch()
    Self.kept.withLock { kept in
      if kept.states.count < Self.keptCountMaximum { kept.states.append(self) }
    }
  }

  /// Compresses `source` by itself; returns the size, or 0 when it does not fit `target`.
  func compress(
    _ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer
  ) -> Int {
    position += source.count + Self.gap
    if position > Self.positionMaximum { clear() }
    let size = compressOnce(source, into: target)
    // After an attempt that did not fit, what is remembered is not valid.
    if size <= 0 { clear() }
    return max(size, 0)
  }

  /// Compresses `source` against a dictionary; returns the size, or 0 when it does not fit.
  ///
  /// Large payloads are left to LZ4: they have matches of their own.
  func compress(
    _ source: UnsafeRawBufferPointer, against dictionary: CompressionDictionary,
    _ effort: CompressionEffort, into target: UnsafeMutableRawBufferPointer
  ) -> Int {
    if source.count <= DictionaryMatcher.payloadByteCountMaximum {
      switch effort {
      case .quick:
        if let matcher = dictionary.quickMatcher {
          return compress(source, madeOf: nil, with: matcher, into: target)
        }
      case .thorough:
        let matching = self.matching ?? DictionaryMatching()
        self.matching = matching
        let size = dictionary.lendMatcher { matching.compress(source, with: $0, into: target) }
        if let size { return size }
      }
    }
    return compress(source, against: dictionary.prepared, into: target)
  }

  /// The same quickly, with the dictionary's matcher, of a payload for which matchers are; `origin`
  /// makes it quicker.
  func compress(
    _ source: UnsafeRawBufferPointer, madeOf origin: PayloadOrigin?,
    with matcher: DictionaryMatcher.Lent, into target: UnsafeMutableRawBufferPointer
  ) -> Int {
    let places = self.places ?? .allocate(capacity: PayloadPlaces.slotCountMaximum)
    if self.places == nil { self.places = places }
    guard let origin else {
      return QuickMatching.compress(source, with: matcher, places, into: target)
    }
    let sequences = self.sequences ?? .allocate(capacity: SequenceReader.countMaximum)
    if self.sequences == nil { self.sequences = sequences }
    return MatchReuse.compress(
      source, madeOf: origin, with: matcher, places, sequences, into: target)
  }

  /// The same with LZ4's own search.
  func compress(
    _ source: UnsafeRawBufferPointer, against dictionary: PreparedDictionary,
    into target: UnsafeMutableRawBufferPointer
  ) -> Int {
    guard let start = source.baseAddress, let destination = target.baseAddress else { return 0 }
    let memory = dictionaryMemory ?? .allocate(capacity: 1)
    dictionaryMemory = memory
    dictionary.copy(to: memory)
    let size = LZ4_compress_fast_continue(
      memory, start.assumingMemoryBound(to: CChar.self),
      destination.assumingMemoryBound(to: CChar.self), Int32(source.count), Int32(target.count), 1)
    return max(Int(size), 0)
  }

  private func compressOnce(
    _ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer
  ) -> Int {
    guard let start = source.baseAddress, let destination = target.baseAddress else { return 0 }
    LZ4_resetStream_fast(memory)
    return Int(
      LZ4_compress_fast_continue(
        memory, start.assumingMemoryBound(to: CChar.self),
        destination.assumingMemoryBound(to: CChar.self), Int32(source.count), Int32(target.count),
        1))
  }

  /// Forgets everything, and compresses a first payload: after clearing, LZ4 takes empty entries
  /// for references to the start, and would write other bytes for the first than for later ones.
  private func clear() {
    LZ4_resetStream(memory)
    position = Self.gap
    let first = [UInt8](0..<64)
    var written = [UInt8](repeating: 0, count: 128)
    let size = first.withBytes { first in
      written.withMutableBytes { written in compressOnce(first, into: written) }
    }
    precondition(size > 0, "LZ4 must be able to compress 64 bytes into 128")
  }
}
