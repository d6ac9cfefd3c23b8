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
    var (found, damage) = try manifest()
    let missing = CorruptionReport(
      file: StoreDirectory.manifest.description, offset: 0, reason: "it is missing")
    if found == nil, damage == nil {
      try BackupRecord.checkFinished(in: directory, missing)
      // Who was making a copy says that it is finished after its manifest is there, which may have
      // been just now.
      (found, damage) = try manifest()
    }
    if let found {
      return try Recovery.recover(found, in: directory, configuration: configuration)
    }
    let state = try rebuild(after: damage ?? missing)
    if state == nil, let damage { throw .corruption(damage) }
    return state
  }

  /// The manifest, or what is wrong with it; neither where there is none.
  private func manifest() throws(LogError) -> (found: Manifest?, damage: CorruptionReport?) {
    do throws(LogError) { return (try ManifestFile.read(in: directory), nil) } catch {
      guard case .corruption(let damage) = error else { throw error }
      return (nil, damage)
    }
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
    guard try directory.isUnused() else { throw .notAStore(path: directory.path) }
    guard configuration.createIfMissing, configuration.access == .readWrite else {
      throw .storeNotFound(path: directory.path)
    }
    let random = configuration.randomSource
    let manifest = Manifest(store: StoreIdentifier(low: random.next(), high: random.next()))
    do throws(ManifestFile.Failure) {
      try ManifestFile.replace(with: manifest.encode(), in: directory)
    } catch { throw .fileIO(error.cause) }
    return Recovery.sealedState(of: manifest, in: directory, configuration: configuration)
  }
}
