internal import FileIO

/// Hands out pages and takes them back when no published version can reach them.
///
/// A page retired while version v was built is reachable from versions below v only. Versions are
/// held in ascending order, so the first one still held bounds what may be freed: each hold,
/// release and retirement costs amortised constant time.
final class PageReclaimer: Sendable {
  private struct State: ~Copyable {
    var free: [UnsafeMutableRawPointer] = []
    var retired: [(page: UnsafeMutableRawPointer, version: UInt64)] = []
    var retiredStart = 0
    var held: [(version: UInt64, isLive: Bool)] = []
    var heldStart = 0
    var allocatedCount = 0

    deinit {
      for page in free { page.deallocate() }
      for index in retiredStart..<retired.count { retired[index].page.deallocate() }
    }
  }

  private let state = Lock(State())
  /// Free pages kept for use; more are given back to the system.
  private static let freeCountMaximum = 256

  /// A page with undefined contents.
  func makePage() -> TablePage {
    state.withLock { state in
      if let page = state.free.popLast() { return TablePage(base: page) }
      state.allocatedCount += 1
      return TablePage(base: .allocate(byteCount: TablePage.byteCount, alignment: 16))
    }
  }

  /// Pages that are in use or kept, for statistics and tests.
  var allocatedPageCount: Int { state.withLock { state in state.allocatedCount } }

  func hold(_ version: UInt64) {
    state.withLock { state in state.held.append((version, true)) }
  }

  func retire(_ page: TablePage, at version: UInt64) {
    state.withLock { state in
      state.retired.append((page.base, version))
      Self.reclaim(&state)
    }
  }

  func release(_ version: UInt64) {
    state.withLock { state in
      var low = state.heldStart
      var high = state.held.count
      while low < high {
        let middle = (low + high) >> 1
        if state.held[middle].version < version { low = middle + 1 } else { high = middle }
      }
      precondition(
        low < state.held.count && state.held[low].version == version,
        "a released version must be held")
      state.held[low].isLive = false
      while state.heldStart < state.held.count, !state.held[state.heldStart].isLive {
        state.heldStart += 1
      }
      if state.heldStart > 1024, state.heldStart * 2 > state.held.count {
        state.held.removeFirst(state.heldStart)
        state.heldStart = 0
      }
      Self.reclaim(&state)
    }
  }

  /// Frees the pages of a whole tree; nobody may read it any more.
  func free(treeAt page: TablePage) {
    if !page.isLeaf {
      for position in 0...page.count { free(treeAt: page.child(position)) }
    }
    page.base.deallocate()
  }

  private static func reclaim(_ state: inout sending State) {
    let oldest =
      state.heldStart < state.held.count ? state.held[state.heldStart].version : UInt64.max
    while state.retiredStart < state.retired.count,
      state.retired[state.retiredStart].version <= oldest
    {
      let page = state.retired[state.retiredStart].page
      state.retiredStart += 1
      if state.free.count < freeCountMaximum {
        state.free.append(page)
      } else {
        state.allocatedCount -= 1
        page.deallocate()
      }
    }
    if state.retiredStart > 1024, state.retiredStart * 2 > state.retired.count {
      state.retired.removeFirst(state.retiredStart)
      state.retiredStart = 0
    }
  }
}
