extension MergingCursor {
  /// A source that has keys left. Without references, so that the heap costs no counting of them.
  struct Stream {
    var window: IndexWindow
    /// False while the window shows a bound: the keys of the source do not sort before it.
    var isOpen: Bool
    /// Whether the bound is what the manifest says: the directory may know a closer one.
    var isListed = false
    /// Its number among the sources of the cursor.
    let source: Int
    /// Which of equal keys with equal sequences counts: the overlay, then the later segment.
    let rank: UInt64
    let segments: UnsafePointer<Unmanaged<Segment>?>?

    /// The segment of a value of the window, borrowed from the cursor; nothing for the overlay.
    func segment(of value: UnsafePointer<IndexValue>) -> Unmanaged<Segment>? {
      segments?[Int(value.pointee.ordinal)]
    }
  }
}
