internal import FileIO

/// Checked bytes of merged runs that are read from files: those used last, within a budget.
///
/// Which go is decided by second chance (Corbató, "A paging experiment with the Multics system",
/// 1968): a hand goes round and takes the first that was not used since it came by. Safe on any
/// thread.
final class RunPageCache: Sendable {
  /// Where bytes lie. Where a store was set back, numbers of runs are given again, salts are not.
  struct Place: Hashable {
    let run: RunIdentifier
    let salt: UInt64
    let start: Int
  }

  private struct Slot {
    let place: Place
    let bytes: MappedRunBytes
    var wasUsed = false
  }

  private struct State: ~Copyable {
    var slots: [Slot] = []
    var positions: [Place: Int] = [:]
    var hand = 0
    var byteCount = 0

    mutating func removeOne() {
      while true {
        if hand >= slots.count { hand = 0 }
        guard slots[hand].wasUsed else { break }
        slots[hand].wasUsed = false
        hand += 1
      }
      byteCount -= slots[hand].bytes.count
      positions[slots[hand].place] = nil
      let last = slots.removeLast()
      guard hand < slots.count else { return }
      slots[hand] = last
      positions[last.place] = hand
    }
  }

  private let byteCountMaximum: Int
  private let state = Lock(State())

  init(byteCountMaximum: Int) { self.byteCountMaximum = byteCountMaximum }

  /// Bytes that are kept.
  var byteCount: Int { state.withLock { state in state.byteCount } }

  /// What was kept for a place.
  func bytes(at place: Place) -> MappedRunBytes? {
    state.withLock { state in
      guard let position = state.positions[place] else { return nil }
      state.slots[position].wasUsed = true
      return state.slots[position].bytes
    }
  }

  /// Keeps bytes that were checked, in place of others.
  func insert(_ bytes: MappedRunBytes, at place: Place) {
    guard bytes.count <= byteCountMaximum else { return }
    state.withLock { state in
      if state.positions[place] != nil { return }
      while state.byteCount + bytes.count > byteCountMaximum { state.removeOne() }
      state.positions[place] = state.slots.count
      state.slots.append(Slot(place: place, bytes: bytes))
      state.byteCount += bytes.count
    }
  }
}
