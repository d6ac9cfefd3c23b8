internal import FileIO

/// The file of a segment, which goes, when it was retired, with the last of those who may read it.
///
/// Views from before a segment was sealed and views from after know it as two segments; both hold
/// this. Safe on any thread.
final class RetirableFile: Sendable {
  private let name: FileName
  private let retirement = Lock<StoreOwnership?>(nil)

  init(_ name: FileName) { self.name = name }

  deinit { retirement.withLock { ownership in ownership }?.remove(name) }

  /// Lets the file be removed when this object goes away, if `ownership` lasts until then.
  func retire(_ ownership: StoreOwnership) {
    ownership.note(name)
    retirement.withLock { current in current = ownership }
  }
}
