internal import FileIO

/// Finds the state of the store in a directory, or makes a new store; the caller holds the lock.
struct StoreOpening {
  private let directory: any Directory
  private let configuration: LogConfiguration
  /// An earlier state, of which a reader keeps what it has open.
  private let known: RecoveredState?

  init(
    _ directory: any Directory, _ configuration: LogConfiguration,
    reusing known: RecoveredState? = nil
  ) {
    self.directory = directory
    self.configuration = configuration
    self.known = known
  }

  /// The store's state; nothing on disk is changed unless the store is new.
  func open() throws(LogError) -> RecoveredState {
    guard let state = try existing() else { return try create() }
    if configuration.access == .readWrite { try checkWritable(state) }
    return state
  }

  private func existing() throws(LogError) -> RecoveredState? {
    let name = StoreDirectory.manifest.description
    let manifest: Manifest?
    do throws(LogError) {
      manifest = try ManifestFile.read(in: directory)
    } catch {
      guard case .corruption(let damage) = error, let state = try rebuild(after: damage) else {
        throw error
      }
      return state
    }
    guard let manifest else {
      let damage = CorruptionReport(file: name, offset: 0, reason: "it is missing")
      try BackupRecord.checkFinished(in: directory, damage)
      return try rebuild(after: damage)
    }
    return try Recovery.recover(manifest, in: directory, configuration: configuration)
  }

  private func rebuild(after damage: CorruptionReport) throws(LogError) -> RecoveredState? {
    try ManifestRebuilding.rebuild(
      after: damage, in: directory, configuration: configuration, reusing: known)
  }

  /// Flags of a newer version that allow reading only.
  private func checkWritable(_ state: RecoveredState) throws(LogError) {
    guard state.manifest.readOnlyFlags == 0 else {
      throw .newerWriter(file: StoreDirectory.manifest.description)
    }
    try state.tail?.header.checkWritable(
      file: state.tail?.segment.name ?? StoreDirectory.manifest)
  }

  private func create() throws(LogError) -> RecoveredState {
    let names: [String]
    do throws(FileIOError) { names = try directory.list() } catch { throw .fileIO(error) }
    // A crash while the store was created leaves at most the unfinished manifest.
    guard names.allSatisfy({ $0 == StoreDirectory.newManifest.description }) else {
      throw .notAStore(path: directory.path)
    }
    guard configuration.createIfMissing, configuration.access == .readWrite else {
      throw .storeNotFound(path: directory.path)
    }
    let random = configuration.randomSource
    let manifest = Manifest(store: StoreIdentifier(low: random.next(), high: random.next()))
    do throws(ManifestFile.Failure) {
      try ManifestFile.replace(with: manifest, in: directory)
    } catch { throw .fileIO(error.cause) }
    return Recovery.sealedState(of: manifest, in: directory, configuration: configuration)
  }
}
