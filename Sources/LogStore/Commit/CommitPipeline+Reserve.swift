internal import FileIO

/// What happens on a full disk. Called under the pipeline's lock.
///
/// Deletions, compaction, repair and closing give up the reserve and try once more. A put fails,
/// and as long as the reserve is given up, puts fail until it could be made again: otherwise they
/// would use what it left.
extension CommitPipeline {
  /// Writes the group; on a full disk, those of it that delete, and lets the others fail.
  func writeWithinReserve(
    _ group: [CommitRequest], _ committed: () -> Void
  ) throws(LogError) {
    do throws(LogError) {
      let group = try admitted(group)
      if group.isEmpty { return }
      try write(group, committed)
      if reserve.isGivenUp { reserve.spend(Self.room(for: group)) }
      lookAfterReserve()
      if reserve.lacksRoom, !group.allSatisfy(\.batch.freesSpace) {
        reserve.noteRoom(for: Self.byteCount(of: group))
      }
      // Puts wake it by what they replace, as ever.
      if reserve.isGivenUp || reserve.lacksRoom && group.contains(where: \.batch.freesSpace) {
        configuration.mayCompact?()
      }
    } catch {
      // After a failed synchronization nothing is tried again, nor what was tried without reserve.
      guard error.isDiskFull, !error.isToldFull, poison == nil else { throw error }
      let needed = Self.byteCount(of: group)
      let freeing = group.filter(\.batch.freesSpace)
      // Others have used what was counted as left.
      if reserve.isGivenUp { reserve.recount() }
      guard !freeing.isEmpty, reserve.isGivenUp || giveUpReserve() else {
        noteRefused(group)
        throw diskFull(error, needed: needed)
      }
      let others = group.filter { !$0.isDecided && !$0.batch.freesSpace }
      // Told once for the group, and not at all where what it gave up is enough for all of it.
      let full = others.isEmpty ? nil : diskFull(error, needed: needed)
      if let full { for request in others { request.fail(full) } }
      do throws(LogError) {
        // What the deletions do not use is there for others: nothing is made of it again here.
        try spareRoom(freeing, restoresReserve: false)
        try write(freeing, committed)
        reserve.spend(Self.room(for: freeing))
      } catch {
        let error = error.isDiskFull ? full ?? diskFull(error, needed: needed) : error
        for request in freeing where !request.isDecided { request.fail(error) }
      }
      configuration.mayCompact?()
    }
  }

  /// Those of the group that may be written: where the reserve is given up, and could not be made
  /// again, none if one of them puts; where it is too small, what deletes, and the others fail.
  private func admitted(_ group: [CommitRequest]) throws(LogError) -> [CommitRequest] {
    if reserve.isUnknown, storeByteCount > 0 {
      // An earlier process may have given it up, or left what takes its room to be removed.
      try putInOrder()
      lookAfterReserve()
    }
    guard reserve.isGivenUp || reserve.isShort else { return group }
    let freeing = group.filter(\.batch.freesSpace)
    if freeing.count == group.count {
      if reserve.isGivenUp { try spareRoom(group) }
      return group
    }
    do throws(LogError) { try restoreReserve() } catch {
      guard reserve.isShort, error.isDiskFull else { throw error }
      let others = group.filter { !$0.batch.freesSpace }
      noteRefused(others)
      let full = diskFull(error, needed: Self.byteCount(of: group))
      for request in others { request.fail(full) }
      return freeing
    }
    return group
  }

  /// Refuses deletions that would take the room in which compaction makes more of it.
  private func spareRoom(
    _ freeing: [CommitRequest], restoresReserve: Bool = true
  ) throws(LogError) {
    let needed = Self.room(for: freeing)
    let room = compactionRoom(behind: freeing)
    if !reserve.holds(needed, beside: room) {
      do throws(LogError) { if restoresReserve { try restoreReserve() } } catch {}
      // What was told of its use may be more than was used.
      if reserve.isGivenUp { reserve.lookAgain() }
      let isAdmitted = reserve.isGivenUp ? try admits(freeing, needed, room) : true
      guard isAdmitted else {
        reserve.noteRefusedDeletion()
        configuration.mayCompact?()
        let cause = FileIOError(
          .noSpace, operation: "keep room to compact in", path: directory.path)
        throw diskFull(.fileIO(cause), needed: needed)
      }
    }
    if reserve.isGivenUp { active?.writer.savesRoom = true }
  }

  /// Whether deletions may use what is left, be it that the open segment is sealed before: none
  /// would have to be written anew then after a crash.
  private func admits(
    _ freeing: [CommitRequest], _ needed: UInt64, _ room: CompactionRoom
  ) throws(LogError) -> Bool {
    let before = compactionRoom(behind: [])
    if reserve.admits(needed, sparing: room, before: before) { return true }
    let worthSealing = min(segmentByteCountTarget / 8, 256 << 10)
    guard let active, active.writer.end >= worthSealing else { return false }
    var sealed = reserve
    sealed.spend(room.indexByteCount)
    let isAdmitted = sealed.admits(
      needed, sparing: compactionRoom(behind: freeing, isSealed: true),
      before: compactionRoom(behind: [], isSealed: true))
    guard isAdmitted else { return false }
    try rotate(beginNext: false)
    return true
  }

  private static func byteCount(of group: [CommitRequest]) -> UInt64 {
    group.reduce(0) { $0 + UInt64($1.batch.byteCount) }
  }

  /// What commits take in the open segment, with their share of a frame.
  private static func room(for group: [CommitRequest]) -> UInt64 {
    group.reduce(0) { sum, request in
      sum + UInt64(request.batch.byteCount) + 32 * UInt64(request.batch.changes.count)
    }
  }

  /// Calls `body`, and once more after giving up the reserve when the disk is full.
  func withinReserve(_ body: () throws(LogError) -> Void) throws(LogError) {
    do throws(LogError) {
      try body()
    } catch {
      // After a failed synchronization nothing is tried again.
      guard error.isDiskFull, poison == nil else { throw error }
      guard giveUpReserve() else { throw diskFull(error, needed: nil) }
      do throws(LogError) { try body() } catch { throw diskFull(error, needed: nil) }
    }
  }

  /// The error of what fails because the disk is full, with what is free; the observer is told.
  /// Other errors stay as they are, and so do those that were told.
  func diskFull(_ error: LogError, needed: UInt64?) -> LogError {
    guard case .fileIO(let cause) = error, error.isDiskFull else { return error }
    var free: UInt64?
    do throws(FileIOError) { free = try directory.freeByteCount() } catch {}
    configuration.observer?.observe(.diskFull(cause))
    return .diskFull(cause: cause, needed: needed, free: free)
  }

  /// Notes that something that takes `byteCount` bytes found no room, though no deletion uses the
  /// reserve yet, and has compaction look for some.
  func noteRefused(_ byteCount: UInt64) {
    guard !reserve.isGivenUp else { return }
    reserve.noteRefused(byteCount)
    configuration.mayCompact?()
  }

  /// The same for each of a group: each may be tried again by itself.
  private func noteRefused(_ group: [CommitRequest]) {
    for request in group where !request.isDecided {
      noteRefused(UInt64(request.batch.byteCount))
    }
  }

  /// Whether puts fail for want of room that compaction can make.
  func isDiskFull() -> Bool {
    if reserve.isGivenUp { return true }
    guard reserve.lacksRoom else { return false }
    let dead = accounts.values.reduce(UInt64(0)) { sum, account in
      let (end, live) = (account.descriptor.dataEnd, account.descriptor.live.total.byteCount)
      return sum + end - min(end, live)
    }
    return reserve.lacksRoom(for: segmentByteCountTarget, dead: dead)
  }

  /// Bytes of all records.
  var storeByteCount: UInt64 {
    sealedByteCount + (active?.writer.end ?? needsRepair?.end ?? 0)
  }

  /// Makes it, or lets it grow, when that is due.
  func lookAfterReserve() {
    if storeByteCount >= reserve.storeByteCountWhenDue { keepReserve() }
  }

  @discardableResult
  private func keepReserve() -> Bool {
    measureIndexes(atMost: 8)
    let wasGivenUp = reserve.isGivenUp
    let isKept = reserve.keep(
      storeByteCount: storeByteCount, compactionByteCount: compactionByteCount,
      rewriteByteCount: rewriteByteCount)
    maintenance.spareRoom(reserve.isGivenUp)
    if wasGivenUp, !reserve.isGivenUp { active?.writer.savesRoom = false }
    return isKept
  }

  /// Makes a reserve that was given up again where a compaction has made room for it, and for as
  /// much beside it: deletions would soon take it again else.
  func keepReserveAgain() {
    guard poison == nil, !isClosed, reserve.isGivenUp else { return }
    if reserve.hasRoomTwice(compactionByteCount: compactionByteCount) { keepReserve() }
  }

  /// Gives up the reserve; whether there was any. Not when the log is closed: it is that of who has
  /// the lock then.
  func giveUpReserve() -> Bool {
    guard !isClosed else { return false }
    let wasThere = reserve.giveUp()
    maintenance.spareRoom(reserve.isGivenUp)
    return wasThere
  }

  /// Called when the store may have become smaller.
  func shrinkReserve() {
    reserve.noteCompacted()
    guard reserve.isTooLarge(compactionByteCount: compactionByteCount) else { return }
    // Where it was guessed how large indexes are, long keys would need more.
    measureIndexes()
    reserve.shrink(storeByteCount: storeByteCount, compactionByteCount: compactionByteCount)
  }

  /// Refuses what is large while the reserve is given up or much too small, behind what the first
  /// write owes the directory.
  func expectReserve() throws(LogError) {
    try putInOrder()
    if storeByteCount > 0 { lookAfterReserve() }
    if reserve.isGivenUp || reserve.isShort { try restoreReserve() }
  }

  private func restoreReserve() throws(LogError) {
    // Files that were removed may take room still.
    unmapping.waitUntilDone()
    // One that a store has outgrown no more is enough, though it could not grow.
    if keepReserve() || !(reserve.isGivenUp || reserve.isShort) { return }
    throw .fileIO(
      FileIOError(
        .noSpace, operation: "make the reserve",
        path: "\(directory.path)/\(StoreDirectory.reserve)"))
  }
}

extension WriteBatch {
  /// Bytes of all keys.
  var keyByteCount: Int { changes.reduce(0) { $0 + $1.keyLength } }

  /// What the directory of an index of all keys takes of the long ones, about.
  var directoryByteCount: Int {
    changes.reduce(0) { $0 + RunDirectory.shareByteCount(ofKey: $1.keyLength) }
  }

  /// Whether it only deletes, or puts nothing but descriptions: those of a schema must stand before
  /// a compaction upgrades to it, and are few. Dictionaries can be done without.
  var freesSpace: Bool {
    changes.allSatisfy { change in
      if change.kind == .tombstone { return true }
      guard change.collection.isReserved else { return false }
      return change.collection != .catalog
        || CompressionDictionary.identifier(ofKey: key(of: change)) == nil
    }
  }
}

extension LogError {
  /// Whether more room on the disk would help.
  package var isDiskFull: Bool {
    switch self {
    case .fileIO(let cause): cause.reason == .noSpace
    case .diskFull: true
    default: false
    }
  }

  /// Whether the observer was told already that the disk is full.
  fileprivate var isToldFull: Bool {
    if case .diskFull = self { true } else { false }
  }
}
