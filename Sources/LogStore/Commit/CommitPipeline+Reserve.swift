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
      if reserve.isGivenUp || reserve.isUnknown {
        let isFreeing = group.allSatisfy(\.batch.freesSpace)
        if isFreeing, reserve.isUnknown { lookAfterReserve() }
        if reserve.isGivenUp { if isFreeing { try spareRoom(group) } else { try restoreReserve() } }
      }
      try write(group, committed)
      if reserve.isGivenUp { reserve.spend(Self.room(for: group)) }
      lookAfterReserve()
      if reserve.isGivenUp { configuration.mayCompact?() }
    } catch {
      // After a failed synchronization nothing is tried again, nor what was tried without reserve.
      guard error.isDiskFull, !error.isToldFull, poison == nil else { throw error }
      let needed = group.reduce(0) { $0 + UInt64($1.batch.byteCount) }
      let freeing = group.filter(\.batch.freesSpace)
      // Others have used what was counted as left.
      if reserve.isGivenUp { reserve.recount() }
      guard !freeing.isEmpty, reserve.isGivenUp || giveUpReserve() else {
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

  private var storeByteCount: UInt64 { sealedByteCount + (active?.writer.end ?? 0) }

  private func lookAfterReserve() {
    guard storeByteCount >= reserve.storeByteCountWhenDue else { return }
    if keepReserve() { active?.writer.savesRoom = false }
  }

  private func keepReserve() -> Bool {
    defer { maintenance.spareRoom(reserve.isGivenUp) }
    return reserve.keep(storeByteCount: storeByteCount, compactionByteCount: compactionByteCount)
  }

  /// Gives up the reserve; whether there was any.
  func giveUpReserve() -> Bool {
    let wasThere = reserve.giveUp()
    maintenance.spareRoom(reserve.isGivenUp)
    return wasThere
  }

  /// Called when the store may have become smaller.
  func shrinkReserve() {
    reserve.noteCompacted()
    guard
      reserve.isTooLarge(storeByteCount: storeByteCount, compactionByteCount: compactionByteCount)
    else { return }
    // Where it was guessed how large indexes are, long keys would need more.
    measureIndexes()
    reserve.shrink(storeByteCount: storeByteCount, compactionByteCount: compactionByteCount)
  }

  private func restoreReserve() throws(LogError) {
    active?.writer.savesRoom = false
    // Files that were removed may take room still.
    unmapping.waitUntilDone()
    if keepReserve() { return }
    throw .fileIO(
      FileIOError(
        .noSpace, operation: "make the reserve",
        path: "\(directory.path)/\(StoreDirectory.reserve)"))
  }
}

extension WriteBatch {
  /// Bytes of all keys.
  var keyByteCount: Int { changes.reduce(0) { $0 + key(of: $1).count } }

  /// Whether it only deletes, or describes what a compaction is about to write; dictionaries can be
  /// done without.
  var freesSpace: Bool {
    changes.allSatisfy { change in
      if change.kind == .tombstone { return true }
      guard change.collection == .catalog else { return false }
      return CompressionDictionary.identifier(ofKey: key(of: change)) == nil
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
