internal import Synchronization

/// Remembers which pages of a run were checked; lock-free, from any thread.
///
/// Not a class, because look-ups would count references to it; whoever makes it deallocates it.
struct CheckedPages: @unchecked Sendable {
  // Sendable: the words are atomics; the pointer never changes.
  private let words: UnsafeMutablePointer<Atomic<UInt64>>
  private let wordCount: Int

  init(count: Int) {
    wordCount = (count + 63) / 64
    words = .allocate(capacity: max(wordCount, 1))
    for word in 0..<wordCount { (words + word).initialize(to: Atomic(0)) }
  }

  func deallocate() {
    words.deinitialize(count: wordCount)
    words.deallocate()
  }

  func contains(_ page: Int) -> Bool {
    words[page >> 6].load(ordering: .relaxed) & (1 << UInt64(page & 63)) != 0
  }

  func insert(_ page: Int) {
    words[page >> 6].bitwiseOr(1 << UInt64(page & 63), ordering: .relaxed)
  }
}
