internal import FileIO

/// The file of a segment, which goes, when it was retired, with the last of those who may read it.
///
/// Views from before a segment was sealed and views from after know it as two segments; both hold
/// this. Safe on any thread.
final class RetirableFile: Sendable {
  private let identifier: SegmentIdentifier
  /// Those of one store have one ownership, so the first is the right one.
  private let retirement = OnceReference<StoreOwnership>()

  init(_ identifier: SegmentIdentifier) { self.identifier = identifier }

  deinit { retirement.load()?.remove(StoreDirectory.segment(identifier)) }

  /// Lets the file be removed when this object goes away, if `ownership` lasts until then.
  func retire(_ ownership: StoreOwnership) {
    ownership.note(StoreDirectory.segment(identifier))
    _ = retirement.storeIfNil(ownership)
  }
}
