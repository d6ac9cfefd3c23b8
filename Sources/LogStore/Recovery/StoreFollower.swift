internal import FileIO

/// Reads a store while another process writes it, without the store's lock.
///
/// It relies on three rules of the writer. A manifest is replaced as a whole, when all it lists is
/// durable. A sealed segment never changes, and goes only after a manifest that does not list it.
/// The active segment is only appended to. So: read the manifest, open every segment it lists, and
/// begin again when one has gone: then there is a newer manifest. What is open stays readable,
/// whatever the writer removes.
///
/// Of the active segment the frames up to the first that is not whole are read: that one is being
/// written. What says that bytes before it were durable may be newer than the bytes as they were
/// read, so damage is believed, and told, only when it is found three times in a
/// row.
struct StoreFollower {
  private let directory: any Directory
  private let configuration: LogConfiguration
  private var state: RecoveredState?
  /// The log's own: what fails for its backups must not seem durable here.
  let synchronizations = ReadSynchronizations()

  /// Tries before it gives up, each as long as an opening.
  private static let attemptMaximum = 50
  /// While a manifest is replaced, opening it may find it gone; only one that stays away is.
  private static let attemptsBeforeRebuilding = 8
  /// How often the same damage is found in a row, beside one manifest, before it is believed.
  private static let sameDamageMaximum = 3

  init(_ directory: any Directory, _ configuration: LogConfiguration) {
    self.directory = directory
    self.configuration = configuration
  }

  /// The newest state of the store; costs what was appended since the last time while the writer
  /// is in the same segment, and the opening of what is new otherwise.
  mutating func newest() throws(LogError) -> RecoveredState {
    var problem = LogError.storeIsBusy(path: directory.path)
    var generation: UInt64?
    var damages = 0
    for attempt in 0..<Self.attemptMaximum {
      let delayed = configuration.observer.map { DelayedObserver($0) }
      var configuration = configuration
      configuration.observer = delayed
      let count = state?.tailCount
      do throws(LogError) {
        // What is open would be read for ever, and nobody writes it any more.
        guard directory.isAtItsPath() else {
          throw .fileIO(FileIOError(.moved, operation: "read the store", path: directory.path))
        }
        let mayRebuild = attempt >= Self.attemptsBeforeRebuilding
        let next = try read(configuration, mayRebuild: mayRebuild)
        state = next
        delayed?.release()
        return next
      } catch {
        // A tail that could not be read to its end must be read from its beginning.
        state?.giveUpTail(after: count)
        guard Self.mayPass(error) else { throw error }
        // The store was set back, and nothing of what was known holds any more.
        if state?.dictionaries.isContradicted == true { state = nil }
        let seen = try? ManifestFile.read(in: directory)?.generation
        let isUnchanged = attempt > 0 && seen == generation
        damages = isUnchanged && error == problem ? damages + 1 : 1
        problem = isUnchanged ? error : .storeIsBusy(path: directory.path)
        generation = seen
        if case .corruption = problem, damages == Self.sameDamageMaximum { break }
      }
    }
    if case .corruption(let damage) = problem {
      configuration.observer?.observe(.damaged(damage))
    }
    throw problem
  }

  /// The state of a store whose lock the caller has: what is damaged is, and told by who reads it.
  mutating func undisturbed() throws(LogError) -> RecoveredState {
    let found = try StoreOpening(directory, configuration).open()
    for segment in found.view.sealed {
      do throws(LogError) { _ = try segment.openFile() } catch {}
    }
    do throws(LogError) { try found.dictionaries.load() } catch {}
    let shown = try durable(found)
    state = shown
    return shown
  }

  /// Whether an error may come from what the writer did meanwhile.
  private static func mayPass(_ error: LogError) -> Bool {
    switch error {
    case .corruption, .notAStore, .storeNotFound, .storeIsBusy: true
    case .fileIO(let cause): cause.reason == .notFound
    default: false
    }
  }

  private func read(
    _ configuration: LogConfiguration, mayRebuild: Bool
  ) throws(LogError) -> RecoveredState {
    guard let manifest = try intactManifest() else {
      guard mayRebuild else { throw .storeIsBusy(path: directory.path) }
      let rebuilt = try StoreOpening(directory, configuration, reusing: state).open()
      // The writer puts a new manifest in place before it changes what this was made from.
      guard try intactManifest() == nil else { throw .storeIsBusy(path: directory.path) }
      return try held(rebuilt)
    }
    if var state, state.manifest == manifest, !state.isManifestRebuilt {
      // Without an active segment nothing can be new.
      if manifest.segments.allSatisfy(\.isSealed) { return try held(state) }
      if try Recovery.continueReplay(telling: configuration.observer, into: &state) {
        return try held(state)
      }
    }
    if let state, state.manifest.store != manifest.store {
      throw .corruption(
        CorruptionReport(
          file: StoreDirectory.manifest.description, offset: 0, reason: "it is of another store"))
    }
    return try held(
      Recovery.recover(
        manifest, in: directory, configuration: configuration,
        reusing: state.flatMap { manifest.generation >= $0.manifest.generation ? $0 : nil }))
  }

  /// The manifest, or nothing when it is damaged or missing.
  private func intactManifest() throws(LogError) -> Manifest? {
    do throws(LogError) {
      return try ManifestFile.read(in: directory)
    } catch {
      if case .corruption = error { return nil }
      throw error
    }
  }

  /// Opens what is not open yet, so that it stays readable, and makes sure of what it shows. What
  /// is damaged is told by who reads it; what is missing may tell of a newer state.
  private func held(_ state: RecoveredState) throws(LogError) -> RecoveredState {
    for segment in state.view.sealed {
      do throws(LogError) { _ = try segment.openFile() } catch {
        guard let damage = error.damage, damage.reason != Segment.missing else { throw error }
      }
    }
    try state.dictionaries.load(besideWriter: true)
    if state.dictionaries === self.state?.dictionaries, state.dictionaries.isContradicted {
      throw .storeIsBusy(path: directory.path)
    }
    return try durable(state)
  }

  /// Sees to it that no loss of power takes back what will be shown, where the configuration asks
  /// for that: the name of a manifest that is new here, and the tail.
  private func durable(_ next: RecoveredState) throws(LogError) -> RecoveredState {
    guard configuration.durability == .full else { return next }
    var next = next
    // One that was rebuilt, or of a store that was set back, may have the number of another one.
    let isShown = state.map { !$0.isManifestRebuilt && $0.manifest == next.manifest } ?? false
    let isTailDurable = next.durableSequence >= next.view.lastSequence
    if next.isManifestRebuilt {
      // Nothing says that what it was made from was durable.
      for segment in next.view.sealed { try synchronize(segment) }
    }
    // A large transaction is committed by the name alone, which its writer synchronizes later.
    do throws(FileIOError) { if !isShown { try directory.synchronize() } } catch {
      if !error.tellsOfNothingToSynchronize { throw .fileIO(error) }
    }
    guard let tail = next.tail, !isTailDurable else { return next }
    try synchronize(tail.segment)
    next.durableSequence = next.view.lastSequence
    return next
  }

  private func synchronize(_ segment: Segment) throws(LogError) {
    let file = try segment.openFile()
    do throws(FileIOError) {
      try synchronizations.synchronize(file.opened(), of: segment)
    } catch { throw .fileIO(error) }
  }
}
