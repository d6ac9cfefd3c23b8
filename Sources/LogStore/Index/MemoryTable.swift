internal import FileIO

/// The index of the active segment: a copy-on-write B+tree over raw pages.
///
/// One thread at a time inserts or publishes; any number of readers walk a published root.
/// Publishing makes the pages reachable from the root immutable: a later change copies the path it
/// touches and retires the old pages, which are used again when no published version that can reach
/// them is held. Keys are never removed: a deletion is a tombstone, which must hide older runs.
///
/// Invariants: keys ascend; every leaf is at the same depth; an inner page with n keys has n + 1
/// children; a page's version is the one it was made for, and no later one changes it.
final class MemoryTable: @unchecked Sendable {
  // Sendable: all variables are touched under the log's writer lock, or by who publishes what lags
  // (`PublicationLag`); what readers share (`reclaimer`) has a lock of its own; published pages are
  // immutable.
  //
  // Exclusivity is unchecked here and in what else each commit uses: these locks see to it,
  // and the checks cost a tenth of a commit.
  @exclusivity(unchecked) private(set) var root: TablePage
  /// The version that is being built; published roots have smaller ones.
  @exclusivity(unchecked) private(set) var version: UInt64 = 1
  /// Keys in the table, tombstones included.
  @exclusivity(unchecked) private(set) var count = 0
  /// How many collections the keys are of, or a few more: a key is compared with its neighbours in
  /// its page only.
  @exclusivity(unchecked) private(set) var collectionCount = 0
  @exclusivity(unchecked) private var arena = KeyArena()
  private let reclaimer = PageReclaimer()
  /// Pages that the version being built does not use any more; readers may.
  @exclusivity(unchecked) private var retired = PageList()
  /// Pages for use.
  @exclusivity(unchecked) private var spare = PageList()
  /// The leaf of the highest keys, if the version being built has added one to its end.
  @exclusivity(unchecked) private var lastLeaf: TablePage?

  init() {
    root = reclaimer.makePage()
    root.version = version
    root.count = 0
    root.isLeaf = true
  }

  deinit {
    ReadMark.followReads()
    reclaimer.take(&retired)
    reclaimer.take(&spare)
    reclaimer.free(treeAt: root)
  }

  /// Makes the current state immutable and returns it, held until ``release(_:)``.
  func publish() -> PublishedTable {
    reclaimer.hold(version, retiring: &retired, spare: &spare)
    lastLeaf = nil
    defer { version += 1 }
    return PublishedTable(table: self, root: root, version: version)
  }

  /// Bytes of all keys.
  var keyByteCount: Int { arena.byteCount }

  /// What the directory of an index of all keys takes of the long ones, about.
  var directoryByteCount: Int { arena.directoryByteCount }

  /// What the index of all keys takes at most, with those of records that are added: a long key may
  /// have a page of its own, and lies in the directory once more.
  func indexByteCount(addingRecords recordCount: Int, byteCount: Int) -> Int {
    let keyByteCountAdded = min(byteCount, recordCount * LogLimits.keyByteCount)
    return 2 * (keyByteCount + keyByteCountAdded) + 64 * (count + recordCount)
  }

  /// Pages that were copied since the last version was published.
  var retiredPageCount: Int { retired.count }

  /// Pages in use, pinned or kept for use.
  var allocatedPageCount: Int { reclaimer.allocatedPageCount }

  /// Says that nobody reads the published `version` any more; from any thread.
  func release(_ version: UInt64) { reclaimer.release(version) }

  /// The value of `key` in the unpublished state; for the writer.
  func find(_ key: IndexKey) -> IndexValue? { Self.find(key, from: root) }

  /// The value of `key` under `root`.
  static func find(_ key: IndexKey, from root: TablePage) -> IndexValue? {
    var page = root
    while !page.isLeaf { page = page.child(page.childPosition(for: key)) }
    let position = page.lowerBound(key)
    guard position < page.count, IndexKey.compare(page.keys[position], key) == 0 else {
      return nil
    }
    return page.values[position]
  }

  /// Inserts or replaces; the key's bytes are copied when they are kept.
  func insert(_ key: IndexKey, _ value: IndexValue) { _ = replace(key, value) }

  /// The same, and says what was there.
  func replace(_ key: IndexKey, _ value: IndexValue) -> Before {
    if let kept = append(key, value) { return .nothing(kept) }
    if let before = replaceWithoutSplit(key, value) { return before }
    return replaceBySplitting(key, value)
  }

  /// Inserts a key that sorts behind all others, where that is known without looking for its place;
  /// otherwise nothing, and no key changed.
  private func append(_ key: IndexKey, _ value: IndexValue) -> IndexKey? {
    guard let page = lastLeaf else { return nil }
    let position = page.count
    guard position < TablePage.capacity, IndexKey.compare(page.keys[position - 1], key) < 0 else {
      return nil
    }
    countCollection(of: key, at: position, of: page)
    let kept = arena.keep(key)
    page.keys[position] = kept
    page.values[position] = value
    page.count = position + 1
    count += 1
    return kept
  }

  /// The same where the leaf has room or the key is there; otherwise nothing, and no key changed.
  private func replaceWithoutSplit(_ key: IndexKey, _ value: IndexValue) -> Before? {
    var page = makeMutable(root)
    root = page
    var isLast = true
    while !page.isLeaf {
      let position = page.childPosition(for: key)
      isLast = isLast && position == page.count
      let child = makeMutable(page.child(position))
      page.children[position] = child.base
      page = child
    }
    let position = page.lowerBound(key)
    let pageCount = page.count
    if position < pageCount, IndexKey.compare(page.keys[position], key) == 0 {
      let replaced = page.values[position]
      page.values[position] = value
      return .value(replaced)
    }
    guard pageCount < TablePage.capacity else { return nil }
    count += 1
    countCollection(of: key, at: position, of: page)
    let kept = arena.keep(key)
    page.insert(kept, value, at: position)
    if isLast, position == pageCount { lastLeaf = page }
    return .nothing(kept)
  }

  /// The same in all cases: the simple way, which tests compare with.
  func replaceBySplitting(_ key: IndexKey, _ value: IndexValue) -> Before {
    lastLeaf = nil
    let result = insert(key, value, into: root)
    root = result.page
    if let split = result.split { grow(split) }
    return result.before
  }

  /// What was in the place of a value that was put there.
  enum Before {
    case value(IndexValue)
    /// The key was not in the table; it is now, with bytes that last as long as the table.
    case nothing(IndexKey)
  }

  /// Counts the collection of a key that is about to be inserted, where no neighbour has it.
  @inline(__always)
  private func countCollection(of key: IndexKey, at position: Int, of page: TablePage) {
    if position > 0, page.keys[position - 1].collection == key.collection { return }
    if position < page.count, page.keys[position].collection == key.collection { return }
    collectionCount += 1
  }

  private func grow(_ split: Split) {
    let newRoot = makePage(isLeaf: false)
    newRoot.count = 1
    newRoot.keys[0] = split.separator
    newRoot.children[0] = root.base
    newRoot.children[1] = split.right.base
    root = newRoot
  }

  private struct Split {
    let separator: IndexKey
    let right: TablePage
  }

  private struct Insertion {
    let page: TablePage
    var split: Split?
    let before: Before
  }

  private func insert(
    _ key: IndexKey, _ value: IndexValue, into page: TablePage
  ) -> Insertion {
    let page = makeMutable(page)
    guard page.isLeaf else {
      let position = page.childPosition(for: key)
      let result = insert(key, value, into: page.child(position))
      page.children[position] = result.page.base
      return Insertion(
        page: page, split: result.split.flatMap { insert($0, at: position, into: page) },
        before: result.before)
    }
    let position = page.lowerBound(key)
    if position < page.count, IndexKey.compare(page.keys[position], key) == 0 {
      let replaced = page.values[position]
      page.values[position] = value
      return Insertion(page: page, before: .value(replaced))
    }
    count += 1
    countCollection(of: key, at: position, of: page)
    let kept = arena.keep(key)
    guard page.count == TablePage.capacity else {
      page.insert(kept, value, at: position)
      return Insertion(page: page, before: .nothing(kept))
    }
    let right = splitLeaf(page, around: position)
    if position > page.count || (position == page.count && right.count == 0) {
      right.insert(kept, value, at: position - page.count)
    } else {
      page.insert(kept, value, at: position)
    }
    return Insertion(
      page: page, split: Split(separator: right.keys[0], right: right), before: .nothing(kept))
  }

  /// Moves the upper half to a new page; nothing when keys arrive in order, so that pages fill up.
  private func splitLeaf(_ page: TablePage, around position: Int) -> TablePage {
    let right = makePage(isLeaf: true)
    let kept = position == page.count ? page.count : page.count / 2
    right.keys.update(from: page.keys + kept, count: page.count - kept)
    right.values.update(from: page.values + kept, count: page.count - kept)
    right.count = page.count - kept
    page.count = kept
    return right
  }

  private func insert(_ split: Split, at position: Int, into page: TablePage) -> Split? {
    guard page.count == TablePage.capacity else {
      page.insert(split.separator, child: split.right, at: position)
      return nil
    }
    let right = makePage(isLeaf: false)
    let kept = position == page.count ? page.count - 1 : page.count / 2
    let separator = page.keys[kept]
    right.count = page.count - kept - 1
    right.keys.update(from: page.keys + kept + 1, count: right.count)
    right.children.update(from: page.children + kept + 1, count: right.count + 1)
    page.count = kept
    if position > kept {
      right.insert(split.separator, child: split.right, at: position - kept - 1)
    } else {
      page.insert(split.separator, child: split.right, at: position)
    }
    return Split(separator: separator, right: right)
  }

  private func makePage(isLeaf: Bool) -> TablePage {
    let page = spare.pop() ?? reclaimer.makePage()
    page.version = version
    page.count = 0
    page.isLeaf = isLeaf
    return page
  }

  private func makeMutable(_ page: TablePage) -> TablePage {
    if page.version == version || PlantedBug.publishedPageChanged.isPlanted { return page }
    let copy = spare.pop() ?? reclaimer.makePage()
    copy.copy(page, for: version)
    retired.push(page)
    return copy
  }
}
