/// Walks a published table in key order; whoever uses it keeps the table alive.
struct TableCursor {
  private var path: [(page: TablePage, position: Int)] = []

  init(root: TablePage, from start: IndexKey?) {
    var page = root
    while !page.isLeaf {
      let position = start.map { page.childPosition(for: $0) } ?? 0
      path.append((page, position))
      page = page.child(position)
    }
    path.append((page, start.map { page.lowerBound($0) } ?? 0))
    settle()
  }

  /// The key and value the cursor stands on, or nothing at the end.
  var current: (key: IndexKey, value: IndexValue)? {
    guard let leaf = path.last else { return nil }
    return (leaf.page.keys[leaf.position], leaf.page.values[leaf.position])
  }

  mutating func advance() {
    guard !path.isEmpty else { return }
    path[path.count - 1].position += 1
    settle()
  }

  /// Climbs out of exhausted pages and down to the next leaf.
  private mutating func settle() {
    while let last = path.last {
      if last.page.isLeaf {
        if last.position < last.page.count { return }
        path.removeLast()
        if !path.isEmpty { path[path.count - 1].position += 1 }
      } else if last.position <= last.page.count {
        path.append((last.page.child(last.position), 0))
      } else {
        path.removeLast()
        if !path.isEmpty { path[path.count - 1].position += 1 }
      }
    }
  }
}
