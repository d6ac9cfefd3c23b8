/// Which bytes that were written are copies of others, in the order in which they were written.
///
/// Hints for who can do more with copies than with other bytes, and compares them first: more or
/// fewer bytes may have been copied than was noted. Memory is one allocation that doubles. Not
/// thread-safe.
public struct CopiedRanges: ~Copyable {
  /// Bytes that were written from `start` on, and lay from `source` on.
  public struct Range: Equatable, Sendable {
    /// Where they were written.
    public var start: Int
    /// Where they were copied from.
    public var source: Int
    /// How many there are.
    public var count: Int

    /// Where they end.
    @inlinable public var end: Int { start &+ count }
  }

  @usableFromInline let isWanted: Bool
  private var memory: UnsafeMutableBufferPointer<Range>
  private var count = 0

  /// What was noted: neighbours before and after the copy are one range. Valid until the next call
  /// that changes it.
  public var ranges: UnsafeBufferPointer<Range> {
    UnsafeBufferPointer(rebasing: UnsafeBufferPointer(memory)[..<count])
  }

  /// Nothing noted yet; `isWanted` is false for who does not ask what will have been noted.
  public init(isWanted: Bool = true) {
    self.isWanted = isWanted
    memory = UnsafeMutableBufferPointer(start: nil, count: 0)
  }

  deinit { memory.deallocate() }

  /// Notes that `count` bytes from `start` on were copied from `source` on; going back behind what
  /// was noted before is a programmer error.
  @inlinable
  public mutating func note(_ start: Int, from source: Int, count: Int) {
    if isWanted && count > 0 { add(start, source, count) }
  }

  @usableFromInline
  mutating func add(_ start: Int, _ source: Int, _ byteCount: Int) {
    let noted = count == 0 ? 0 : memory[count - 1].end
    precondition(
      start >= noted && source >= 0 && byteCount <= Int.max - max(source, start),
      "copies are noted in the order of what was written")
    if count > 0, noted == start,
      memory[count - 1].source + memory[count - 1].count == source
    {
      memory[count - 1].count += byteCount
      return
    }
    if count == memory.count { grow() }
    memory.initializeElement(at: count, to: Range(start: start, source: source, count: byteCount))
    count += 1
  }

  private mutating func grow() {
    let larger = UnsafeMutableBufferPointer<Range>.allocate(capacity: max(16, 2 * memory.count))
    for index in 0..<count { larger.initializeElement(at: index, to: memory[index]) }
    memory.deallocate()
    memory = larger
  }

  /// Forgets what was noted and keeps the memory.
  public mutating func removeAll() { count = 0 }
}
