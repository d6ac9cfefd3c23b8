internal import BinaryCoding
public import FileIO

/// Reads every byte of a store and checks it; changes nothing.
///
/// Damage is listed, not thrown: one bad byte does not hide the next, nor does a sector that cannot
/// be read. Takes the lock for reading, so no writer may have the store open. Memory is one frame
/// plus one segment's index.
public struct LogVerifier {
  private let directory: any Directory
  private let threadCount: Int
  private var report = VerificationReport()
  private var byteCountTotal: UInt64 = 0

  /// Checks the store at `path`.
  ///
  /// `progress` is told the bytes of the files that were read so far, and of all. Segments are
  /// read by `threadCount` threads at once; more of them need the memory of as many segments.
  /// - Throws: ``LogError/storeNotFound(path:)``, ``LogError/notAStore(path:)``,
  ///   ``LogError/unfinishedCopy(path:)``, ``LogError/storeIsInUse(path:holder:)``,
  ///   ``LogError/newerFormat(file:found:supported:)``, ``LogError/fileIO(_:)``.
  public static func verify(
    _ path: String, fileSystem: any FileSystem = POSIXFileSystem(), threadCount: Int = 1,
    progress: (UInt64, UInt64) -> Void = { _, _ in }
  ) throws(LogError) -> VerificationReport {
    let report = try verify(path, fileSystem: fileSystem, threadCount: threadCount) {
      (done, total) -> Bool in
      progress(done, total)
      return true
    }
    guard let report else { preconditionFailure("a check that nobody ends goes through") }
    return report
  }

  /// The same, where `goesOn` may end it by returning false; then there is no report.
  static func verify(
    _ path: String, fileSystem: any FileSystem, threadCount: Int,
    while goesOn: (UInt64, UInt64) -> Bool
  ) throws(LogError) -> VerificationReport? {
    let directory = try fileSystem.lockedStore(at: path)
    defer { directory.unlock() }
    var verifier = LogVerifier(directory: directory, threadCount: threadCount)
    return try verifier.run(goesOn) ? verifier.report : nil
  }

  private init(directory: any Directory, threadCount: Int) {
    self.directory = directory
    self.threadCount = threadCount
  }

  /// Returns whether nobody ended it.
  private mutating func run(_ goesOn: (UInt64, UInt64) -> Bool) throws(LogError) -> Bool {
    guard let manifest = try manifest() else { return true }
    report.byteCount += try size(of: StoreDirectory.manifest) ?? 0
    report.fileCount += 1
    byteCountTotal = try total(manifest)
    guard goesOn(report.byteCount, byteCountTotal),
      try checkSegments(manifest, try dictionaries(of: manifest), goesOn)
    else { return false }
    try noteLeftovers(manifest)
    if report.damages.isEmpty, try !checkState(manifest, goesOn) { return false }
    try checkBackupRecord()
    return true
  }

  /// The manifest, or one that was rebuilt in its place; nothing, and a report, without either.
  private mutating func manifest() throws(LogError) -> Manifest? {
    var damage = CorruptionReport(
      file: StoreDirectory.manifest.description, offset: 0, reason: "it is missing")
    var isMissing = false
    do throws(LogError) {
      if let found = try ManifestFile.read(in: directory) { return found }
      isMissing = true
    } catch {
      guard let found = error.damage else { throw error }
      damage = found
    }
    do throws(LogError) {
      if isMissing { try BackupRecord.checkFinished(in: directory, damage) }
      if let state = try ManifestRebuilding.rebuild(
        after: damage, in: directory, configuration: Self.configuration)
      {
        report.rebuildable.append(damage)
        report.notes.append("the segments were checked against a manifest rebuilt from them")
        return state.manifest
      }
    } catch {
      if case .corruption(let obstacle) = error {
        damage = obstacle
      } else if let obstacle = error.unreadable {
        damage.reason += "; it cannot be rebuilt (\(obstacle.description))"
      } else {
        throw error
      }
      isMissing = false
    }
    if isMissing {
      throw try directory.isUnused()
        ? .storeNotFound(path: directory.path) : .notAStore(path: directory.path)
    }
    report.damages.append(damage)
    report.notes.append("without its manifest the segments could not be checked")
    return nil
  }

  /// The dictionaries of the store; those of a tail too, where that can be read.
  private func dictionaries(of manifest: Manifest) throws(LogError) -> DictionaryShelf {
    do throws(LogError) {
      return try Recovery.recover(manifest, in: directory, configuration: Self.configuration)
        .dictionaries
    } catch {
      guard error.damage != nil else { throw error }
      return Recovery.sealedState(of: manifest, in: directory, configuration: Self.configuration)
        .dictionaries
    }
  }

  private static var configuration: LogConfiguration {
    var configuration = LogConfiguration()
    configuration.access = .readOnly
    configuration.readMode = .buffered
    return configuration
  }

  /// What only shows when all segments are seen together: merged runs and live totals.
  private mutating func checkState(
    _ manifest: Manifest, _ goesOn: (UInt64, UInt64) -> Bool
  ) throws(LogError) -> Bool {
    do throws(LogError) {
      let state = try Recovery.recover(manifest, in: directory, configuration: Self.configuration)
      for run in manifest.runs {
        try check(run, state.view)
        guard goesOn(report.byteCount, byteCountTotal) else { return false }
      }
      if report.isIntact {
        let check = try LiveTotalsCheck(of: state)
        report.damages += check.damages
        report.overcounted = check.overcounted
        report.notes += check.overcounted.map { segment in
          "segment \(segment) counts replaced records as live, as an index could not be read when "
            + "they were replaced; compacting it counts anew"
        }
      }
    } catch {
      guard let damage = error.damage else { throw error }
      report.damages.append(damage)
    }
    return true
  }

  private mutating func check(_ run: RunDescriptor, _ view: View) throws(LogError) {
    let name = StoreDirectory.run(run.identifier)
    if let byteCount = try size(of: name) {
      report.fileCount += 1
      report.byteCount += byteCount
    }
    var reason: String?
    do throws(LogError) {
      reason = try RunCheck(run, in: directory, view: view).damage()
    } catch {
      // It may be a footer that is listed already.
      guard let cause = error.unreadable else { throw error }
      reason = "it cannot be checked: \(cause.description)"
    }
    guard let reason else { return }
    report.rebuildable.append(
      CorruptionReport(file: name.description, offset: 0, reason: reason))
  }

  /// Bytes of all files that will be read.
  private func total(_ manifest: Manifest) throws(LogError) -> UInt64 {
    var total = try size(of: StoreDirectory.manifest) ?? 0
    for segment in manifest.segments {
      total += try size(of: StoreDirectory.segment(segment.identifier)) ?? 0
    }
    for run in manifest.runs { total += try size(of: StoreDirectory.run(run.identifier)) ?? 0 }
    total += try size(of: StoreDirectory.backup) ?? 0
    return total
  }

  /// Checks all segments; the report lists them in the manifest's order, whoever was first.
  private mutating func checkSegments(
    _ manifest: Manifest, _ dictionaries: DictionaryShelf, _ goesOn: (UInt64, UInt64) -> Bool
  ) throws(LogError) -> Bool {
    let checks = ParallelChecks(count: manifest.segments.count) { [directory] number in
      Result { () throws(LogError) in
        var verifier = LogVerifier(directory: directory, threadCount: 1)
        try verifier.check(manifest.segments[number], manifest, dictionaries)
        return verifier.report
      }
    }
    let before = report.byteCount
    let results = checks.run(threadCount: threadCount) { goesOn(before + $0, byteCountTotal) }
    guard let results else { return false }
    for result in results { report.add(try result.get()) }
    return true
  }

  private mutating func check(
    _ descriptor: SegmentDescriptor, _ manifest: Manifest, _ dictionaries: DictionaryShelf
  ) throws(LogError) {
    let segment = Segment(
      descriptor, store: manifest.store, directory: directory, readMode: .buffered,
      dictionaries: dictionaries)
    do throws(LogError) {
      var check = try SegmentCheck(segment, descriptor: descriptor, manifest: manifest)
      defer { report.recordCount += check.recordCount }
      report.fileCount += 1
      report.byteCount += try size(of: segment.name) ?? 0
      try check.run()
      report.rebuildable += check.rebuildable
      report.notes += check.notes
    } catch {
      guard let damage = error.damage else { throw error }
      report.damages.append(damage)
    }
  }

  /// Nothing rests on what a backup says of itself but the next backup, and whether it is whole.
  private mutating func checkBackupRecord() throws(LogError) {
    if let byteCount = try size(of: StoreDirectory.backup) {
      report.fileCount += 1
      report.byteCount += byteCount
    }
    do throws(LogError) {
      guard let record = try BackupRecord.read(in: directory),
        let bytes = try ManifestFile.readWithBytes(in: directory)?.bytes,
        let damage = record.unfinishedDamage(manifestBytes: bytes)
      else { return }
      // Whatever it says, what is there can be read, and is worth checking.
      report.rebuildable.append(damage)
    } catch {
      guard var damage = error.damage else { throw error }
      // That of the manifest is listed already.
      guard damage.isOfBackupRecord else { return }
      damage.remedy = "Remove that file, and make the next backup in a new directory"
      report.rebuildable.append(damage)
    }
  }

  /// Nothing where the file is missing or cannot be opened, which is told by whoever reads it.
  private func size(of name: FileName) throws(LogError) -> UInt64? {
    do throws(FileIOError) {
      return try directory.open(name, .read).size()
    } catch {
      if error.reason == .notFound || error.tellsOfDamage { return nil }
      throw .fileIO(error)
    }
  }

  private mutating func noteLeftovers(_ manifest: Manifest) throws(LogError) {
    let names = try directory.names()
    let segments = manifest.segments.map { StoreDirectory.segment($0.identifier).description }
    let runs = manifest.runs.map { StoreDirectory.run($0.identifier).description }
    let others =
      [StoreDirectory.manifest, StoreDirectory.backup, StoreDirectory.reserve]
      + StoreDirectory.emptyReserves
    let known = Set(segments + runs + others.map(\.description))
    var leftovers = names.filter { !known.contains($0) }.sorted()
    if let damaged = leftovers.firstIndex(of: StoreDirectory.damagedManifest.description) {
      let name = leftovers.remove(at: damaged)
      report.notes.append("\(name) was replaced by a manifest rebuilt from the log")
    }
    if leftovers.count > Self.namedLeftoverCountMaximum {
      // A writer that is killed again and again leaves dozens.
      report.notes.append(
        "\(leftovers.count) files do not belong to the store, \(leftovers[0]), \(leftovers[1]) "
          + "and others; a crash may have left them")
    } else {
      report.notes += leftovers.map {
        "\($0) does not belong to the store; a crash may have left it"
      }
    }
  }

  /// So many are named one by one.
  private static let namedLeftoverCountMaximum = 3
}
