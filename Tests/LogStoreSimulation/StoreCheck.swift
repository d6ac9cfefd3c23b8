internal import FileIO
internal import LogStore
internal import StorageTestSupport

/// Opens what a crash left and compares it with the commits that it may hold.
struct StoreCheck {
  static let path = "/store"

  let knobs: SimulationKnobs
  var defect: Defect?

  func open(_ fileSystem: SimulatedFileSystem, opening: UInt64) throws(LogError) -> Log {
    try Log.open(
      at: Self.path, configuration: knobs.configuration(opening: opening),
      fileSystem: defect?.wrap(fileSystem) ?? fileSystem)
  }

  /// The candidate of `history` that the store holds after a crash behind `operation`.
  ///
  /// Throws when it holds none that it may hold, or when opening, reading and closing changed a
  /// byte of a store that was there (P3: so a second opening finds the same).
  func recovered(
    _ fileSystem: SimulatedFileSystem, _ history: CommitHistory, operation: Int, isKill: Bool
  ) throws(SimulationFailure) -> Int {
    let isStore = fileSystem.hasFile("MANIFEST", in: Self.path)
    return try Self.failing(.refused) {
      let log = try open(fileSystem, opening: 0)
      let found = try candidate(log, history, operation: operation, isKill: isKill)
      try log.close()
      if isStore, !fileSystem.mutatingOperations.isEmpty {
        throw SimulationFailure(.changedBytes, "opening and closing changed the store")
      }
      return found
    }
  }

  /// The candidate that an open store shows.
  func candidate(
    _ log: Log, _ history: CommitHistory, operation: Int, isKill: Bool
  ) throws -> Int {
    let sequence = log.snapshot().lastSequence.rawValue
    let allowed = history.allowed(at: operation, isKill: isKill)
    let floor = history.floor(at: operation, isKill: isKill)
    let there = allowed.filter { history.candidates[$0].sequence == sequence }
    guard let last = there.last else {
      if sequence < floor {
        throw SimulationFailure(
          .lostCommit, "recovered up to \(sequence), but \(floor) was acknowledged")
      }
      let ends = allowed.map { "\(history.candidates[$0].sequence)" }.joined(separator: ", ")
      throw SimulationFailure(
        .noPrefix, "recovered up to \(sequence), where only \(ends) can be")
    }
    for index in there.dropLast() where try difference(log, history.candidates[index].state) == nil
    {
      return index
    }
    if let difference = try difference(log, history.candidates[last].state) {
      throw SimulationFailure(.wrongContents, "at sequence \(sequence): \(difference)")
    }
    return last
  }

  /// How the newest snapshot and the counts of an open store differ from `state`; nothing where
  /// they do not.
  func difference(_ log: Log, _ state: ModelState) throws -> String? {
    if let difference = try difference(log.snapshot(), state) { return difference }
    let counted = log.liveByVersion.values.reduce(0) { $0 + $1.recordCount }
    guard counted == UInt64(state.count) else {
      throw SimulationFailure(
        .wrongCount, "\(counted) live records are counted, \(state.count) exist")
    }
    return nil
  }

  /// How a snapshot differs from `state`, by a walk and by one look-up.
  func difference(_ snapshot: Snapshot, _ state: ModelState) throws(LogError) -> String? {
    for first in 0..<min(knobs.collectionCount, knobs.keyCount) {
      let cursor = try snapshot.records(in: knobs.collection(of: first))
      for key in stride(from: first, to: knobs.keyCount, by: knobs.collectionCount) {
        guard let value = state.values[key] else { continue }
        guard let (found, record) = try cursor.next() else { return "key \(key) is missing" }
        guard found == knobs.bytes(ofKey: key) else {
          return "\(found) comes where key \(key) is expected"
        }
        guard record.payload == value.payload, record.schemaVersion == value.schemaVersion else {
          return "key \(key) has another value"
        }
      }
      if let (found, _) = try cursor.next() { return "\(found) is there and must not be" }
    }
    let key = Int(snapshot.lastSequence.rawValue % UInt64(knobs.keyCount))
    let record = try snapshot.record(for: knobs.bytes(ofKey: key), in: knobs.collection(of: key))
    let value = state.values[key]
    guard record?.payload == value?.payload, record?.schemaVersion == value?.schemaVersion else {
      return "a look-up of key \(key) gives another value than the walk"
    }
    return nil
  }

  /// Checks every byte of a store that nobody damaged.
  func verify(_ fileSystem: SimulatedFileSystem) throws(SimulationFailure) {
    try Self.failing(.notIntact) {
      guard fileSystem.hasFile("MANIFEST", in: Self.path) else { return }
      let report = try LogVerifier.verify(Self.path, fileSystem: fileSystem)
      guard report.isIntact else {
        throw SimulationFailure(.notIntact, "\(report.damages) \(report.rebuildable)")
      }
      guard report.overcounted.isEmpty else {
        throw SimulationFailure(.notIntact, "\(report.notes)")
      }
    }
  }

  /// Runs `body`; errors of the log become failures of `kind`.
  static func failing<Value>(
    _ kind: SimulationFailure.Kind, _ body: () throws -> Value
  ) throws(SimulationFailure) -> Value {
    do { return try body() } catch let failure as SimulationFailure {
      throw failure
    } catch {
      throw SimulationFailure(kind, "\(error)")
    }
  }
}
