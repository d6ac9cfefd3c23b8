internal import FileIO

/// Hands out pages and takes them back when no published version can reach them.
///
/// A page made while version c was built and retired while version r was built is reachable from
/// the published versions c to r − 1. It waits in the list of the newest of them that is held, and
/// when that one is released it moves to the next older one, if that can reach it too: the dead
/// lists of copy-on-write file systems. So a version held for long pins its own pages only. A
/// release costs time in proportion to the list of its version and the number of versions held.
final class PageReclaimer: Sendable {
  private struct Held {
    let version: UInt64
    /// Pages retired since, which this version can reach and newer ones cannot.
    var pages = PageList()
  }

  private struct State: ~Copyable {
    var free = PageList()
    /// The versions that are held, ascending.
    var held: [Held] = []
    var allocatedCount = 0

    mutating func reclaim(_ page: TablePage) {
      if free.count < PageReclaimer.freeCountMaximum {
        free.push(page)
      } else {
        allocatedCount -= 1
        page.base.deallocate()
      }
    }

    mutating func makePage() -> TablePage {
      if let page = free.pop() { return page }
      allocatedCount += 1
      return TablePage(base: .allocate(byteCount: TablePage.byteCount, alignment: 16))
    }

    mutating func retire(_ page: TablePage) {
      let newest = held.count - 1
      if newest >= 0, held[newest].version >= page.version {
        held[newest].pages.push(page)
      } else {
        reclaim(page)
      }
    }

    deinit {
      for var pages in [free] + held.map(\.pages) {
        while let page = pages.pop() { page.base.deallocate() }
      }
    }
  }

  private let state = Lock(State())
  /// Free pages kept for use; more are given back to the system.
  private static let freeCountMaximum = 256
  /// Pages that a writer gets at once.
  private static let spareCount = 16

  /// A page with undefined contents.
  func makePage() -> TablePage {
    state.withLock { state in state.makePage() }
  }

  /// Pages that are in use or kept, for statistics and tests.
  var allocatedPageCount: Int { state.withLock { state in state.allocatedCount } }

  /// Versions are held in ascending order. Takes the pages that this one does not use any more,
  /// and sees to it that `spare` has some for the next.
  func hold(_ version: UInt64, retiring: inout PageList, spare: inout PageList) {
    state.withLock { state in
      while let page = retiring.pop() { state.retire(page) }
      state.held.append(Held(version: version))
      guard spare.count < Self.spareCount / 2 else { return }
      while spare.count < Self.spareCount { spare.push(state.makePage()) }
    }
  }

  /// Takes pages that nobody uses.
  func take(_ pages: inout PageList) {
    state.withLock { state in
      while let page = pages.pop() { state.reclaim(page) }
    }
  }

  /// Says that nobody reads `version` any more.
  func release(_ version: UInt64) {
    state.withLock { state in
      var low = 0
      var high = state.held.count
      while low < high {
        let middle = (low + high) >> 1
        if state.held[middle].version < version { low = middle + 1 } else { high = middle }
      }
      precondition(
        low < state.held.count && state.held[low].version == version,
        "a released version must be held")
      var pages = state.held.remove(at: low).pages
      while let page = pages.pop() {
        if low > 0, state.held[low - 1].version >= page.version {
          state.held[low - 1].pages.push(page)
        } else {
          state.reclaim(page)
        }
      }
    }
  }

  /// Frees the pages of a whole tree; nobody may read it any more.
  func free(treeAt page: TablePage) {
    if !page.isLeaf {
      for position in 0...page.count { free(treeAt: page.child(position)) }
    }
    page.base.deallocate()
  }
}
