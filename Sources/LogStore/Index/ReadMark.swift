internal import Synchronization

/// Tells ThreadSanitizer that reads of a memory table are over; nothing in other builds.
///
/// A page is used again when the last reference to a version that can reach it goes. References
/// are counted, and that orders the reads of all who held one before what the last one does; but
/// the Swift runtime is not built for ThreadSanitizer, so it would take the next write to the page
/// for a race. A read that is still going on when a page is used again remains one: readers mark
/// the end of their reads, nothing more. `Scripts/sanitizers.sh` sets the condition.
enum ReadMark {
  #if THREAD_SANITIZER
    private static let mark = Atomic<UInt>(0)
  #endif

  /// This thread reads the table no more through what it used until now.
  @inline(__always)
  static func endReading() {
    #if THREAD_SANITIZER
      mark.add(1, ordering: .releasing)
    #endif
  }

  /// The last reference is gone: what was read through others lies before this.
  @inline(__always)
  static func followReads() {
    #if THREAD_SANITIZER
      _ = mark.load(ordering: .acquiring)
    #endif
  }
}
