/// One key with bytes of its own, which are used again for the next.
final class KeyBuffer {
  /// The key, valid until another takes its place or the buffer goes away.
  private(set) var key: IndexKey?
  private var bytes: UnsafeMutableRawBufferPointer

  init(_ key: IndexKey? = nil) {
    bytes = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    if let key { set(key) }
  }

  deinit { bytes.deallocate() }

  /// Copies `key`, which must not be the buffer's own.
  func set(_ key: IndexKey) { copy(key, adding: 0) }

  /// Copies the cut behind `key`: it with a zero byte added, which nothing sorts between.
  func set(behind key: IndexKey) { copy(key, adding: 1) }

  private func copy(_ key: IndexKey, adding count: Int) {
    let length = Int(key.length)
    if length + count > bytes.count {
      bytes.deallocate()
      bytes = .allocate(byteCount: max(64, 2 * (length + count)), alignment: 8)
    }
    bytes.copyMemory(from: key.buffer)
    if count > 0 { bytes[length] = 0 }
    var copy = IndexKey(
      .catalog, UnsafeRawBufferPointer(rebasing: bytes[..<(length + count)]))
    // Not checked: the first cut behind the last collection belongs to none.
    copy.collection = key.collection
    self.key = copy
  }
}
