internal import BinaryCoding

/// Answers what ``SealedIndex/answer(_:hash:)`` says, of keys that come in ascending order.
///
/// Such keys lie on the same page of an index, one after the other, or on one soon behind it. So
/// each index keeps the page on which the last key was sought, and as long as keys lie between its
/// first and its last, all that is read is there, and neither filter nor locator is asked. A page
/// with a key not above the one that is sought, and one not below it, is where that key would be,
/// whoever named the page; where there is none, the index is asked as it is otherwise. Used by one
/// thread.
final class AscendingLookup {
  private let index: SealedIndex
  private let pages: UnsafeMutablePointer<SoughtPage?>
  /// Of the last key.
  @exclusivity(unchecked) private var head: KeyHeads.Head = (0, 0)

  /// Whether keys, of which there are `keyCount`, lie so close in `index` that this is quicker than
  /// asking for each by itself: a page is read for several of them.
  static func isWorthwhile(keyCount: UInt64, in index: SealedIndex) -> Bool {
    let all = index.sources.reduce(0) { $0 &+ $1.keyCount }
    return all / distanceMaximum < keyCount
  }

  private static let distanceMaximum: UInt64 = 64

  init(_ index: SealedIndex) {
    self.index = index
    pages = .allocate(capacity: index.slots.count)
    pages.initialize(repeating: nil, count: index.slots.count)
  }

  deinit { pages.deallocate() }

  private func forgetPages() { pages.update(repeating: nil, count: index.slots.count) }

  /// The newest record of `key`, which does not sort before one that was asked for earlier.
  func answer(_ key: IndexKey) -> SealedIndex.Answer {
    // Of an index whose keys are out of order nothing may be concluded.
    if (key.collection, key.head) < head { forgetPages() }
    head = (key.collection, key.head)
    return index.answer(key) { slot in
      if pages[slot]?.reaches(key) != true {
        guard let page = index.slots[slot].lendRun({ $0.soughtPage(from: key) }) else {
          return .unknown
        }
        pages[slot] = page
      }
      guard pages[slot]?.reaches(key) == true else {
        return index.slots[slot].answer(
          key, hash: RunFilter.hash(CollectionIdentifier(key.collection), key.buffer))
      }
      do throws(BinaryDecodingError) {
        guard let value = try pages[slot]?.find(key) else { return .absent }
        return index.slots[slot].answer(value)
      } catch { return .unknown }
    }
  }
}
