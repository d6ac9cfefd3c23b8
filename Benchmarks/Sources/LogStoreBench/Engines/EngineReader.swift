/// Reads a state of the store; used by one thread.
protocol EngineReader: AnyObject {
  /// Sees what was written since.
  func refresh() throws
  /// Takes a snapshot of the newest state, and lets an older one go.
  func takeSnapshot() throws
  /// Lends the value of `key` to `body`; false when there is none.
  func read(
    _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
  ) throws -> Bool
  /// Lends at most `limit` records to `body`, in key order, from the first not below `start`;
  /// returns how many there were.
  func scan(
    from start: UnsafeRawBufferPointer?, limit: Int,
    _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void
  ) throws -> Int
}
