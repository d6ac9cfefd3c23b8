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
  /// What it lacks where it is much smaller than it should be, and there was no room for more: puts
  /// must not make the store larger.
  private var missingByteCount: UInt64 = 0
  /// What was free when compaction found no room for a segment that would have freed something.
  private var vainRoom: UInt64?
  /// What was free when the last compaction began, with the reserve.
  private var roomBefore: UInt64 = .max
  /// What found no room though there is a reserve, until something does or there is some.
  private var refused: RefusedRoom?
  /// Whether a deletion was refused since a compaction made room.
  private(set) var refusesDeletions = false
  /// How often something was refused, for who looks whether it can be helped.
  private(set) var refusalCount = 0
  /// How much is left of what was given up, as far as its use was told.
  private(set) var rest: UInt64 = 0
  /// What was given up last.
  private var lost: UInt64 = 0
  /// The size of the store at which the reserve may have become too small.
  private(set) var storeByteCountWhenDue: UInt64 = 0

  init(
    _ directory: any Directory, _ ownership: StoreOwnership, _ configuration: LogConfiguration
  ) {
    self.directory = directory
    self.ownership = ownership
    byteCountMaximum = configuration.diskReserveByteCountMaximum
  }

  /// Room for what compaction needs, and a margin; whole pages.
  private func byteCount(for compactionByteCount: UInt64) -> UInt64 {
    guard byteCountMaximum > 0 else { return 0 }
    let wanted = min(compactionByteCount, byteCountMaximum) + Self.marginByteCount
    return (wanted + 4095) & ~4095
  }

  /// Lets the next commit look after the reserve.
  mutating func becomeDue() { storeByteCountWhenDue = 0 }

  /// Makes the reserve, or lets it grow, when there is room; whether it is as large as it should,
  /// or was made.
  ///
  /// It is too small for puts where it lacks a quarter of what a rewrite needs now.
  mutating func keep(
    storeByteCount: UInt64, compactionByteCount: UInt64, rewriteByteCount: UInt64
  ) -> Bool {
    storeByteCountWhenDue = max(2 * storeByteCount, 2 * Self.marginByteCount)
    let wanted = byteCount(for: compactionByteCount)
    let needed = min(wanted, byteCount(for: rewriteByteCount))
    do throws(FileIOError) {
      if wanted == 0 { isGivenUp = false }
      guard wanted > 0, let free = try directory.freeByteCount() else {
        missingByteCount = 0
        // Nothing tells any more whether there is room: then all is tried.
        if wasMissing { isGivenUp = false }
        return wanted == 0 || wasMissing
      }
      let present = if let byteCount { byteCount } else { try found() }
      byteCount = present
      // Also where it cannot grow though there seems to be room.
      missingByteCount = present > 0 && present < needed - needed / 4 ? wanted - present : 0
      if present < wanted {
        var reached = wanted
        if present == 0, free < wanted, lost >= needed - needed / 4 {
          // It was smaller when it was given up, and let puts through: so it is again. It grows
          // soon where there is room.
          reached = min(wanted, lost)
          storeByteCountWhenDue = storeByteCount + Self.marginByteCount
        }
        guard free >= reached - present else {
          // An earlier process has given it up: what is left is for deletions and compaction.
          if present == 0, !isGivenUp {
            (isGivenUp, wasMissing, rest) = (true, true, free)
          }
          return false
        }
        try grow(to: reached, from: present)
      }
      (isGivenUp, missingByteCount) = (false, 0)
      return true
    } catch {
      return false
    }
  }

  /// Gives back what a store that became smaller does not need any more.
  mutating func shrink(storeByteCount: UInt64, compactionByteCount: UInt64) {
    guard isTooLarge(compactionByteCount: compactionByteCount)
    else { return }
    let wanted = byteCount(for: compactionByteCount)
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
  func isTooLarge(compactionByteCount: UInt64) -> Bool {
    let wanted = byteCount(for: compactionByteCount)
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
      lost = if let byteCount { byteCount } else { try size() }
      rest = lost
      try directory.remove(StoreDirectory.reserve)
    } catch { return false }
    remove()
    byteCount = 0
    (isGivenUp, wasMissing, missingByteCount) = (true, false, 0)
    (vainRoom, refusesDeletions) = (nil, false)
    return true
  }

  /// Whether it is so small that puts must wait until it has grown.
  var isShort: Bool { missingByteCount > 0 }

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

  /// Notes that compaction found no room for a segment that frees something; some file systems tell
  /// later that what it wrote, up to `byteCount` bytes, is free again.
  mutating func noteTooSmall(besides byteCount: UInt64 = 0) {
    let free = free()
    let (room, isBeyond) = free.addingReportingOverflow(byteCount)
    // Most give it back at once: then it is not to be counted twice.
    vainRoom = min(isBeyond ? .max : room, max(free, roomBefore))
    refusesDeletions = false
  }

  /// Notes what a compaction that is about to begin can have.
  mutating func noteRoomBefore() {
    var present: UInt64 = 0
    do throws(FileIOError) {
      if !isGivenUp { present = if let byteCount { byteCount } else { try size() } }
    } catch {}
    let (room, isBeyond) = free().addingReportingOverflow(present)
    roomBefore = isBeyond ? .max : room
  }

  /// Notes that a compaction has written something anew.
  mutating func noteCompacted() {
    vainRoom = nil
    refusesDeletions = false
  }

  /// Believes what is free, when no compaction has room that it is about to give back.
  mutating func countFree() { if isGivenUp { rest = free() } }

  /// Notes that less is left than was counted: others have used it.
  mutating func recount() { rest = min(rest, free()) }

  /// Looks what is free: somebody may have made room since. Where nothing tells, all is tried.
  mutating func lookAgain() {
    let free = free()
    rest = max(rest, free)
    if let vainRoom, free - min(free, vainRoom) > Self.marginByteCount { self.vainRoom = nil }
  }

  /// Notes that something that takes `byteCount` bytes found no room, but no deletion did yet.
  mutating func noteRefused(_ byteCount: UInt64) {
    refusalCount &+= 1
    if refused?.note(byteCount) == nil { refused = RefusedRoom(byteCount) }
  }

  /// Notes that a deletion was refused. One that is tried again is no news.
  mutating func noteRefusedDeletion() {
    if !refusesDeletions { refusalCount &+= 1 }
    refusesDeletions = true
  }

  /// Notes that there was room for what takes `byteCount` bytes: larger ones wait on.
  mutating func noteRoom(for byteCount: UInt64 = .max) { refused = refused?.beyond(byteCount) }

  /// Whether something found no room, and nothing as large did since.
  var lacksRoom: Bool { refused != nil }

  /// Whether some of what found no room still finds none, with `byteCount` bytes more for what
  /// comes next; not where the `dead` bytes of the store would not be enough for any of it.
  mutating func lacksRoom(for byteCount: UInt64, dead: UInt64) -> Bool {
    guard lacksRoom else { return false }
    do throws(FileIOError) {
      guard let free = try directory.freeByteCount() else { return true }
      let others = byteCount + missingByteCount
      if free >= others { noteRoom(for: free - others) }
      if let least = refused?.least {
        let needed = least + missingByteCount
        if needed > free, needed - free > dead { return false }
      }
    } catch {}
    return lacksRoom
  }

  /// Whether it could be made again with as much left beside it.
  func hasRoomTwice(compactionByteCount: UInt64) -> Bool {
    let free = free()
    return free < .max && free / 2 >= byteCount(for: compactionByteCount)
  }

  private func free() -> UInt64 {
    do throws(FileIOError) { return try directory.freeByteCount() ?? .max } catch { return 0 }
  }
}
