internal import Synchronization

/// Between which keys those of each slot lie, as far as the manifest says it, or somebody has
/// opened what it stands for.
///
/// Look-ups ask it before they ask the slot, which would say the same after following three
/// pointers, or would have to be opened. What it knows of a slot never changes: it is of the
/// records, whose index may be rebuilt, and `verify` compares what the manifest says with them. An
/// index that is opened proves its bounds by its outermost pages. Safe on any thread.
struct SlotHeads: ~Copyable, Sendable {
  private enum State {
    static let unknown: UInt8 = 0
    static let entering: UInt8 = 1
    static let known: UInt8 = 2
  }

  nonisolated(unsafe) private let heads: UnsafeMutablePointer<KeyHeads>
  nonisolated(unsafe) private let states: UnsafeMutablePointer<Atomic<UInt8>>
  private let count: Int
  private let knownCount = Atomic(0)
  /// The same for one search, once all slots are known and somebody looked for a key.
  private let spans = OnceReference<SlotSpans>()

  /// Fewer slots are passed over one by one.
  static let searchedCountMinimum = 6
  /// Of more slots the spans would take too much memory: their square, a quarter byte each.
  static let searchedCountMaximum = 2048

  /// Where a look-up of a key stands that goes from slot to slot.
  struct Search {
    fileprivate let head: KeyHeads.Head
    /// The words of the key's piece that are left; nothing where each slot is asked.
    fileprivate var words: UnsafePointer<UInt64>?
    fileprivate var bits: UInt64 = 0
    fileprivate var wordsLeft = 0
    /// The next slot, or the first of the word.
    fileprivate var slot = 0
  }

  /// Of so many slots, of which nothing is known.
  init(count: Int) {
    self.count = count
    heads = .allocate(capacity: count)
    states = .allocate(capacity: count)
    for slot in 0..<count { (states + slot).initialize(to: Atomic(State.unknown)) }
  }

  deinit {
    states.deinitialize(count: count)
    states.deallocate()
    heads.deallocate()
  }

  /// Whether keys are looked for by a search.
  var isSearched: Bool { spans.isStored }

  /// Begins to look for a key that begins so; what is lent stays as long as this.
  @inline(__always)
  func search(_ head: KeyHeads.Head) -> Search {
    var search = Search(head: head)
    guard (Self.searchedCountMinimum...Self.searchedCountMaximum).contains(count) else {
      return search
    }
    if !spans.isStored, !makeSpans() { return search }
    _ = spans.lend { spans in
      let words = spans.slots(at: head)
      search.words = words
      search.bits = words.pointee
      search.wordsLeft = spans.wordCount - 1
    }
    return search
  }

  /// The next slot that may have the key, in the order of slots.
  @inline(__always)
  func next(_ search: inout Search) -> Int? {
    guard search.words == nil else { return Self.nextInWords(&search) }
    while search.slot < count {
      defer { search.slot += 1 }
      if !rulesOut(search.head, in: search.slot) { return search.slot }
    }
    return nil
  }

  @inline(__always)
  private static func nextInWords(_ search: inout Search) -> Int? {
    while search.bits == 0 {
      guard search.wordsLeft > 0, let words = search.words else { return nil }
      search.words = words + 1
      search.bits = words[1]
      search.wordsLeft -= 1
      search.slot += 64
    }
    let bit = search.bits.trailingZeroBitCount
    search.bits &= search.bits &- 1
    return search.slot + bit
  }

  /// Makes the spans when all slots are known.
  @inline(never)
  private func makeSpans() -> Bool {
    guard knownCount.load(ordering: .acquiring) == count else { return false }
    _ = spans.storeIfNil(SlotSpans(UnsafeBufferPointer(start: heads, count: count)))
    return true
  }

  /// True only when no key that begins so is in the slot.
  @inline(__always)
  func rulesOut(_ head: KeyHeads.Head, in slot: Int) -> Bool {
    rulesOut(from: head, to: head, in: slot)
  }

  /// True only when no key that begins with one of these heads, or between them, is in the slot.
  @inline(__always)
  func rulesOut(from first: KeyHeads.Head, to last: KeyHeads.Head, in slot: Int) -> Bool {
    states[slot].load(ordering: .acquiring) == State.known
      && (heads[slot].last < first || last < heads[slot].first)
  }

  /// Whether nothing is known of the slot.
  @inline(__always)
  func isUnknown(_ slot: Int) -> Bool {
    states[slot].load(ordering: .relaxed) == State.unknown
  }

  /// Enters what is known of a slot, unless somebody did or does.
  func enter(_ known: KeyHeads, for slot: Int) {
    let (isMine, _) = states[slot].compareExchange(
      expected: State.unknown, desired: State.entering, ordering: .relaxed)
    guard isMine else { return }
    (heads + slot).initialize(to: known)
    states[slot].store(State.known, ordering: .releasing)
    knownCount.add(1, ordering: .acquiringAndReleasing)
  }
}
