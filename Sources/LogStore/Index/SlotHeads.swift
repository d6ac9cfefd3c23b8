internal import Synchronization

/// Between which keys those of each slot lie, as far as somebody has opened what it stands for.
///
/// Look-ups ask it before they ask the slot, which would say the same after following three
/// pointers. What it knows of a slot never changes: the outermost pages prove the bounds when a run
/// is opened, so they hold for the index that is rebuilt from the records, too. Safe on any thread.
struct SlotHeads: ~Copyable, Sendable {
  private enum State {
    static let unknown: UInt8 = 0
    static let entering: UInt8 = 1
    static let known: UInt8 = 2
  }

  nonisolated(unsafe) private let heads: UnsafeMutablePointer<KeyHeads>
  nonisolated(unsafe) private let states: UnsafeMutablePointer<Atomic<UInt8>>
  private let count: Int

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
  }
}
