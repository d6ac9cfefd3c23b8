extension MergingCursor {
  /// A source that has keys left. Without references, so that the heap costs no counting of them.
  struct Stream {
    var window: IndexWindow
    /// False while the window shows a bound: the keys of the source do not sort before it.
    var isOpen: Bool
    /// Whether the bound is what the manifest says: the directory may know a closer one.
    var isListed = false
    /// Whether the bound is where its walk has come to without a key to show.
    var isPassing = false
    /// Its number among the sources of the cursor.
    let source: Int
    /// Which of equal keys with equal sequences counts: the overlay, then the later segment.
    let rank: UInt64
    let segments: UnsafePointer<Unmanaged<Segment>?>?

    /// Shows where `walk` stands, or waits at `bound`; false at its end.
    mutating func show(
      _ walk: any IndexWalk, bound: UnsafeMutablePointer<IndexKey>,
      _ boundValue: UnsafePointer<IndexValue>
    ) -> Bool {
      isListed = false
      isPassing = false
      isOpen = true
      if let next = walk.window {
        window = next
        return true
      }
      guard let passed = walk.passed else { return false }
      bound.initialize(to: passed)
      window = IndexWindow(key: bound, value: boundValue)
      isPassing = true
      isOpen = false
      return true
    }

    /// The segment of a value of the window, borrowed from the cursor; nothing for the overlay.
    func segment(of value: UnsafePointer<IndexValue>) -> Unmanaged<Segment>? {
      segments?[Int(value.pointee.ordinal)]
    }
  }
}
