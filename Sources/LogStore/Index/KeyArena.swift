/// Keeps the bytes of a memory table's keys; freed as a whole with the table.
struct KeyArena: ~Copyable {
  private var slabs: [UnsafeMutableRawPointer] = []
  private var next: UnsafeMutableRawPointer?
  private var roomLeft = 0
  /// Bytes of the keys that it keeps.
  private(set) var byteCount = 0
  /// What the directory of their pages takes of long ones, about.
  private(set) var directoryByteCount = 0

  private static let slabByteCount = 64 << 10

  deinit {
    for slab in slabs { slab.deallocate() }
  }

  /// The same key with bytes owned by the arena.
  mutating func keep(_ key: IndexKey) -> IndexKey {
    var kept = key
    let count = Int(key.length)
    if count > roomLeft {
      let size = max(Self.slabByteCount, count)
      let slab = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 8)
      slabs.append(slab)
      next = slab
      roomLeft = size
    }
    guard let target = next else { preconditionFailure("the arena made no room for a key") }
    target.copyMemory(from: key.bytes, byteCount: count)
    kept.bytes = UnsafeRawPointer(target)
    next = target + count
    roomLeft -= count
    byteCount += count
    directoryByteCount += RunDirectory.shareByteCount(ofKey: count)
    return kept
  }
}
