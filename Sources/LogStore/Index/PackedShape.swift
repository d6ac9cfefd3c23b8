internal import Synchronization

/// Where keys lie in the packed page that was asked last: most pages of a run are packed alike.
///
/// A guess, for asking memory for a key before its page's head is there. Safe on any thread.
struct PackedShape: ~Copyable {
  /// Where the first key lies, and behind that how many bytes each takes; 0 when nothing is known.
  private let word = Atomic<UInt32>(0)

  /// Where the key at `position` of a page may begin.
  func offset(ofKeyAt position: Int) -> Int? {
    let word = word.load(ordering: .relaxed)
    return word == 0 ? nil : Int(word >> 16) + position * Int(word & 0xFFFF)
  }

  /// Notes how `page` is packed. Only some positions do, so that threads which ask pages of two
  /// shapes do not take the line from each other all the time.
  func note(_ page: UnsafeRawBufferPointer, at position: Int) {
    guard position % 8 == 0, let first = RunPage.offsetInPacked(page, at: 0),
      let second = RunPage.offsetInPacked(page, at: 1), first < 1 << 16, second - first < 1 << 16
    else { return }
    let found = UInt32(first) << 16 | UInt32(second - first)
    if word.load(ordering: .relaxed) != found { word.store(found, ordering: .relaxed) }
  }
}
