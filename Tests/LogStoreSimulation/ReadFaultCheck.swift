internal import LogStore
internal import StorageTestSupport

/// Reads a store through a fault: each value must be right or an error, and nothing may be missing
/// from a walk that ends without one.
struct ReadFaultCheck {
  let check: StoreCheck
  let history: CommitHistory

  /// Whether the fault led to an error; throws when it led to a wrong value.
  func run(
    _ fileSystem: SimulatedFileSystem, _ overlay: ReadOverlay
  ) throws(SimulationFailure) -> Bool {
    fileSystem.setOverlays([overlay])
    let log: Log
    do throws(LogError) {
      log = try check.open(fileSystem, opening: 0)
    } catch { return true }
    let snapshot = log.snapshot()
    let sequence = snapshot.lastSequence.rawValue
    // Bytes that changed may look like a torn end; reads that failed tell of themselves.
    let isExact = if case .failing = overlay.effect { true } else { false }
    let allowed = history.allowed(at: Int.max, isKill: true).map { history.candidates[$0] }
    let isRebuilt = log.recoveryReport.rebuiltManifest != nil
    let possible =
      ((isExact ? allowed : history.candidates + history.past)
      + (isRebuilt ? history.undone : []))
      .filter { $0.sequence == sequence }
    guard !possible.isEmpty else {
      throw SimulationFailure(.wrongRead, "\(overlay): opened at sequence \(sequence)")
    }
    var sawError = false
    var difference: String?
    for candidate in possible {
      (sawError, difference) = read(snapshot, candidate.state)
      if difference == nil { break }
    }
    if let difference { throw SimulationFailure(.wrongRead, "\(overlay): \(difference)") }
    do throws(LogError) { try log.close() } catch {}
    return sawError
  }

  private func read(_ snapshot: Snapshot, _ state: ModelState) -> (Bool, String?) {
    var sawError = false
    for first in 0..<min(check.knobs.collectionCount, check.knobs.keyCount) {
      let walk = walk(snapshot, state, first: first)
      sawError = sawError || walk.sawError
      if let difference = walk.difference { return (sawError, difference) }
    }
    for key in 0..<check.knobs.keyCount {
      do throws(LogError) {
        let record = try snapshot.record(
          for: check.knobs.bytes(ofKey: key), in: check.knobs.collection(of: key))
        if record?.payload != state.values[key]?.payload
          || record?.schemaVersion != state.values[key]?.schemaVersion
        {
          return (sawError, "a look-up of key \(key) gives a wrong value")
        }
      } catch { sawError = true }
    }
    return (sawError, nil)
  }

  private func walk(
    _ snapshot: Snapshot, _ state: ModelState, first: Int
  ) -> (sawError: Bool, difference: String?) {
    let cursor: RecordCursor
    do throws(LogError) {
      cursor = try snapshot.records(in: check.knobs.collection(of: first))
    } catch { return (true, nil) }
    var missing = Set(
      stride(from: first, to: check.knobs.keyCount, by: check.knobs.collectionCount)
        .filter { state.values[$0] != nil })
    var sawError = false
    // More errors than keys would be a walk without an end.
    for _ in 0...(4 * check.knobs.keyCount) {
      do throws(LogError) {
        guard let (bytes, record) = try cursor.next() else {
          guard sawError || missing.isEmpty else { return (false, "keys \(missing) are missing") }
          return (sawError, nil)
        }
        guard let key = missing.first(where: { check.knobs.bytes(ofKey: $0) == bytes }) else {
          return (sawError, "the walk shows a key that must not be there")
        }
        missing.remove(key)
        guard record.payload == state.values[key]?.payload,
          record.schemaVersion == state.values[key]?.schemaVersion
        else {
          return (sawError, "the walk shows a wrong value of key \(key)")
        }
      } catch { sawError = true }
    }
    return (sawError, "the walk does not end")
  }
}
