internal import FileIO

/// Space on the disk that is held back for deletions, compaction, repair and closing.
///
/// A log that only appends needs space to free space. So a file with blocks of its own, but nothing
/// in it, lies in the directory while there is room, and is removed when one of these meets a full
/// disk; from then on puts fail until it can be made again. Two empty files beside it give their
/// inodes: the next segment, an output and a manifest need three. Nothing fails for want of them,
/// and nothing about them needs to be durable. Used under the pipeline's lock.
struct DiskReserve {
  /// For a manifest, headers and what else is no part of a segment.
  static let marginByteCount: UInt64 = 64 << 10

  private let directory: any Directory
  private let ownership: StoreOwnership
  /// Larger ones are not made; 0 for none.
  private let byteCountMaximum: UInt64
  /// Bytes of the file; nothing until it was looked for.
  private var byteCount: UInt64?
  /// Whether the file was given up, and puts must not use what it left.
  private(set) var isGivenUp = false
  /// Whether that was an earlier process.
  private var wasMissing = false
  /// What was free when compaction found no room for a segment that would have freed something.
  private var vainRoom: UInt64?
  /// How much is left of what was given up, as far as its use was told.
  private(set) var rest: UInt64 = 0
  /// The size of the store at which the reserve may have become too small.
  private(set) var storeByteCountWhenDue: UInt64 = 0

  init(
    _ directory: any Directory, _ ownership: StoreOwnership, _ configuration: LogConfiguration
  ) {
    self.directory = directory
    self.ownership = ownership
    byteCountMaximum = configuration.diskReserveByteCountMaximum
  }

  /// Room for what compaction needs, but no more than the store itself; and a margin; whole pages.
  private func byteCount(
    forStoreOf storeByteCount: UInt64, _ compactionByteCount: UInt64
  ) -> UInt64 {
    guard byteCountMaximum > 0 else { return 0 }
    let wanted = min(storeByteCount, compactionByteCount, byteCountMaximum) + Self.marginByteCount
    return (wanted + 4095) & ~4095
  }

  /// Lets the next commit look after the reserve.
  mutating func becomeDue() { storeByteCountWhenDue = 0 }

  /// Makes the reserve, or lets it grow, when there is room; whether it is as large as it should.
  mutating func keep(storeByteCount: UInt64, compactionByteCount: UInt64) -> Bool {
    storeByteCountWhenDue = max(2 * storeByteCount, 2 * Self.marginByteCount)
    let wanted = byteCount(forStoreOf: storeByteCount, compactionByteCount)
    do throws(FileIOError) {
      if wanted == 0 { isGivenUp = false }
      guard wanted > 0 else { return true }
      guard let free = try directory.freeByteCount() else {
        // Nothing tells any more whether there is room: then all is tried.
        if wasMissing { isGivenUp = false }
        return wasMissing
      }
      let present = if let byteCount { byteCount } else { try found() }
      byteCount = present
      if present < wanted {
        guard free >= wanted - present else {
          // An earlier process has given it up: what is left is for deletions and compaction.
          if present == 0, !isGivenUp {
            (isGivenUp, wasMissing, rest) = (true, true, free)
          }
          return false
        }
        try grow(to: wanted, from: present)
      }
      isGivenUp = false
      return true
    } catch {
      return false
    }
  }

  /// Gives back what a store that became smaller does not need any more.
  mutating func shrink(storeByteCount: UInt64, compactionByteCount: UInt64) {
    guard isTooLarge(storeByteCount: storeByteCount, compactionByteCount: compactionByteCount)
    else { return }
    let wanted = byteCount(forStoreOf: storeByteCount, compactionByteCount)
    do throws(FileIOError) {
      let isKnown = byteCount != nil
      byteCount = nil
      try directory.open(StoreDirectory.reserve, .readWrite).truncate(to: wanted)
      byteCount = isKnown ? wanted : try found()
      storeByteCountWhenDue = max(2 * storeByteCount, 2 * Self.marginByteCount)
    } catch {}
  }

  /// Whether a store that became smaller does not need all of it; a little too much is not worth a
  /// call, and older versions made larger segments.
  func isTooLarge(storeByteCount: UInt64, compactionByteCount: UInt64) -> Bool {
    let wanted = byteCount(forStoreOf: storeByteCount, compactionByteCount)
    do throws(FileIOError) {
      let present = if let byteCount { byteCount } else { try size() }
      return !isGivenUp && present > wanted + wanted / 2
    } catch { return false }
  }

  /// The size of the file that an earlier process left.
  ///
  /// All of it gets blocks of its own: a copy of a store may have a hole there.
  private func found() throws(FileIOError) -> UInt64 {
    let byteCount = try size()
    guard byteCount > 0 else { return 0 }
    try directory.open(StoreDirectory.reserve, .readWrite).allocate(0..<byteCount)
    return byteCount
  }

  private func size() throws(FileIOError) -> UInt64 {
    do throws(FileIOError) {
      return try directory.open(StoreDirectory.reserve, .read).size()
    } catch {
      guard error.reason == .notFound else { throw error }
      return 0
    }
  }

  private mutating func grow(to wanted: UInt64, from present: UInt64) throws(FileIOError) {
    let file = try present == 0 ? create() : directory.open(StoreDirectory.reserve, .readWrite)
    do throws(FileIOError) {
      if present == 0 { try makeEmptyFiles() }
      try file.allocate(present..<wanted)
      byteCount = wanted
    } catch {
      if present == 0 {
        remove()
      } else {
        do throws(FileIOError) { try file.truncate(to: present) } catch { byteCount = nil }
      }
      throw error
    }
  }

  /// The file, with nothing in it; a process that was killed may have left it so.
  private func create() throws(FileIOError) -> any File {
    do throws(FileIOError) { return try directory.open(StoreDirectory.reserve, .createNew) } catch {
      guard error.reason == .alreadyExists else { throw error }
      return try directory.open(StoreDirectory.reserve, .readWrite)
    }
  }

  private func makeEmptyFiles() throws(FileIOError) {
    for name in StoreDirectory.emptyReserves {
      do throws(FileIOError) {
        _ = try directory.open(name, .createNew)
      } catch {
        guard error.reason == .alreadyExists else { throw error }
      }
    }
  }

  private func remove() {
    for name in [StoreDirectory.reserve] + StoreDirectory.emptyReserves { ownership.remove(name) }
  }

  /// Gives the space back to the disk; whether there was any.
  mutating func giveUp() -> Bool {
    if isGivenUp {
      // An earlier process may have left the empty ones.
      remove()
      return false
    }
    do throws(FileIOError) {
      rest = if let byteCount { byteCount } else { try size() }
      try directory.remove(StoreDirectory.reserve)
    } catch { return false }
    remove()
    byteCount = 0
    (isGivenUp, wasMissing, vainRoom) = (true, false, nil)
    return true
  }

  /// Whether nobody has looked for it yet.
  var isUnknown: Bool { byteCount == nil && !isGivenUp }

  /// Whether all of `room` is left beside `byteCount` bytes for a deletion.
  func holds(_ byteCount: UInt64, beside room: CompactionRoom) -> Bool {
    left >= byteCount && left - byteCount >= room.byteCount
  }

  /// Whether a deletion may use `byteCount` bytes of what was given up: it must not take room that
  /// compaction needs.
  ///
  /// A log that can neither write a segment anew nor seal one stays full for good. Where compaction
  /// was tried and found no room, or there is too little before anything is dead, deletions go on,
  /// as they make what is to be written smaller.
  /// `room` is what it needs behind the deletion, `before` what it needs now.
  func admits(
    _ byteCount: UInt64, sparing room: CompactionRoom, before: CompactionRoom
  ) -> Bool {
    if holds(byteCount, beside: room) { return true }
    guard left >= byteCount else { return false }
    let isThere = left >= before.byteCount - before.byteCount / 64
    if vainRoom == nil, room.isFreeing || isThere { return false }
    let index = before.indexByteCount
    return left - byteCount >= room.indexByteCount || left < index - index / 16
  }

  /// What is left but for closing. Each process that follows a killed one needs some, too, before
  /// it may refuse anything.
  private var left: UInt64 {
    let margin = Self.marginByteCount / (wasMissing ? 4 : 2)
    return rest - min(rest, margin)
  }

  /// Notes that a deletion, or the index of a segment, has used some of it.
  mutating func spend(_ byteCount: UInt64) { rest -= min(rest, byteCount) }

  /// Notes that compaction found no room for a segment that frees something.
  mutating func noteTooSmall() { vainRoom = free() }

  /// Notes that a compaction has written something anew: it used and gave back what nobody counted.
  mutating func noteCompacted() {
    vainRoom = nil
    if isGivenUp { recount() }
  }

  /// Believes what is free, not what was counted.
  mutating func recount() { rest = free() }

  /// Looks what is free: somebody may have made room since. Where nothing tells, all is tried.
  mutating func lookAgain() {
    let free = free()
    rest = max(rest, free)
    if let vainRoom, free - min(free, vainRoom) > Self.marginByteCount { self.vainRoom = nil }
  }

  private func free() -> UInt64 {
    do throws(FileIOError) { return try directory.freeByteCount() ?? .max } catch { return 0 }
  }
}
