/// Walks a published table in key order, either way; whoever uses it keeps the table alive.
struct TableCursor {
  private let root: TablePage
  private let bounds: WalkBounds
  /// The inner pages above the current leaf, and which of their children leads to it.
  private var path: [(page: TablePage, position: Int)] = []
  /// The keys of the current leaf that are left; nothing at the end.
  private(set) var window: IndexWindow?
  private var isLast = false

  init(root: TablePage, bounds: WalkBounds) {
    self.root = root
    self.bounds = bounds
    seek(to: bounds.start)
  }

  /// The key and value the cursor stands on, or nothing at the end.
  var current: (key: IndexKey, value: IndexValue)? {
    window.map { ($0.key.pointee, $0.value.pointee) }
  }

  mutating func advance() {
    if window?.advance() == false { advanceWindow() }
  }

  /// Moves to the first key behind the cut at `start`: in ascending order the first that is not
  /// below it, in descending order the last that is.
  mutating func seek(to start: IndexKey?) {
    path.removeAll(keepingCapacity: true)
    var page = root
    while !page.isLeaf {
      let position =
        start.map { page.childPosition(for: $0) } ?? (isAscending ? 0 : page.count)
      path.append((page, position))
      page = page.child(position)
    }
    load(page, from: start)
  }

  /// Moves to the first key of the next leaf that has any.
  mutating func advanceWindow() {
    guard !isLast, let leaf = nextLeaf() else {
      window = nil
      return
    }
    load(leaf, from: nil)
  }

  private var isAscending: Bool { bounds.order == .ascending }

  private mutating func load(_ leaf: TablePage, from start: IndexKey?) {
    (window, isLast) = bounds.window(leaf.keys, leaf.values, count: leaf.count, from: start)
    if window == nil { advanceWindow() }
  }

  /// Climbs out of exhausted pages and down to the next leaf.
  private mutating func nextLeaf() -> TablePage? {
    while let last = path.popLast() {
      guard last.position != (isAscending ? last.page.count : 0) else { continue }
      let position = last.position + (isAscending ? 1 : -1)
      path.append((last.page, position))
      var page = last.page.child(position)
      while !page.isLeaf {
        path.append((page, isAscending ? 0 : page.count))
        page = page.child(isAscending ? 0 : page.count)
      }
      return page
    }
    return nil
  }
}
