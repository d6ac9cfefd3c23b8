internal import FileIO

/// Copies a state of a store into a directory, whose lock the caller holds.
///
/// 1. Look what lies there: nothing, an earlier state of the same store that nobody has written to
///    since, or what an interrupted first backup left; see ``EarlierBackup``. 2. Remove the
///    segments that an interrupted run left, but for those that are kept: all else may need their
///    room. Write down what will lie there, see ``BackupRecord``. 3. Copy each segment that is
///    missing under a name that nobody reads, synchronize it, verify what was copied, and rename
///    it. 4. Write the new manifest beside the earlier one. 5. Copy the segment that was active in
///    the earlier backup, which is replaced by one that begins with the same bytes. 6. Synchronize
///    the directory, and put the manifest in force: what changed the earlier backup needs no more
///    room. 7. Remove what the manifest does not list. A copy that has damaged parts goes on to say
///    so, so that the next one verifies what it keeps, and copies those again. What fails, or is
///    ended, leaves the earlier backup as it was, and what it copied whole to the next run. So does
///    a crash, but for one, or a disk that fails, between the last renaming and the new manifest:
///    what is left then is what the earlier backup would find after a crash of the store, with all
///    commits of that segment.
struct BackupWriter {
  /// What the copy is for.
  enum Purpose {
    case backup
    /// Nothing may lie there but what an interrupted one left, and nothing may be damaged.
    case restoration
  }

  /// A segment and how much of it is copied.
  private typealias Copy = (descriptor: SegmentDescriptor, segment: Segment, byteCount: UInt64)

  private let source: BackupSource
  private let directory: any Directory
  private let purpose: Purpose
  private let earlier: EarlierBackup?
  private var record: BackupRecord
  /// Whether damaged segments are copied, too: not where they take the place of others.
  private var takesDamage: Bool { purpose == .backup && earlier == nil }
  /// Whether what is there is verified before it is kept: what an interrupted restoration left, as
  /// that ends with a store of which every byte was, and a backup that had damaged parts.
  private var verifiesKept: Bool {
    purpose == .restoration || earlier?.record.isDoubtful == true
  }
  /// Whether each segment that an interrupted run left verified before it took its name: reading
  /// all of them again would leave a run that is limited no time to copy more.
  private var trustsLeft = false
  /// What this run copied though not all of it verifies, where no earlier backup lists it.
  private var unproven: [FileName] = []
  /// What is there and does not verify; with what is wrong where all records do.
  private var damagedHere: [SegmentIdentifier: [CorruptionReport]] = [:]
  private(set) var report = BackupReport()
  private var byteCountDone: UInt64 = 0
  private var byteCountTotal: UInt64 = 0

  /// What the copy's manifest will say.
  private var manifest: Manifest { source.manifest }

  init(
    _ source: BackupSource, to directory: any Directory, as purpose: Purpose, random: UInt64
  ) throws(LogError) {
    self.source = source
    self.directory = directory
    self.purpose = purpose
    report.lastSequence = source.lastSequence
    earlier = try EarlierBackup.read(of: source.manifest.store, in: directory)
    // What is not durable the store may lose, and then this is more than an earlier state of it.
    let lineage = source.isDurable ? source.lineage.number : nil
    record = BackupRecord(
      of: source.manifest, after: earlier?.manifestBytes, lineage: lineage ?? random,
      source: source.isDurable ? source.manifestFingerprint : nil, random: random)
    guard let earlier else {
      // Of what lies there only its record tells whether it verified.
      let left = try BackupRecord.read(in: directory)
      trustsLeft = purpose == .backup && left?.isProven == true
      // True as soon as it is written: what is not kept goes before.
      record.isProven = true
      return
    }
    trustsLeft = !verifiesKept && !earlier.record.isOfFirstVersion
    // What it keeps may be damaged: until that is copied again the next one goes on.
    switch purpose {
    case .restoration: record.isUnfinished = true
    case .backup: record.isDamaged = verifiesKept
    }
    // Where a crash only kept a copy from saying that it is finished, it is finished all the same.
    guard purpose == .backup || earlier.record.isUnfinished else {
      throw EarlierBackup.refusal(directory, "a store lies there already; give a new directory")
    }
    try earlier.checkDescent(of: source)
  }

  /// False when `progress` ended it.
  mutating func run(_ progress: (UInt64, UInt64) -> Bool) throws(LogError) -> Bool {
    let all = try copies()
    byteCountTotal = all.reduce(0) { $0 + $1.byteCount }
    var missing: [Copy] = []
    var kept: Set<SegmentIdentifier> = []
    for copy in all {
      guard try isThere(copy.descriptor, byteCount: copy.byteCount) else {
        missing.append(copy)
        continue
      }
      kept.insert(copy.descriptor.identifier)
      report.keptSegmentCount += 1
      report.keptByteCount += copy.byteCount
      byteCountDone += copy.byteCount
      // Where it was verified that took as long as copying it.
      guard progress(byteCountDone, byteCountTotal) else { return false }
    }
    if let earlier {
      for (descriptor, segment, byteCount) in missing {
        try earlier.check(openFile(of: segment), takesPlaceOf: descriptor, byteCount: byteCount)
      }
    }
    do throws(FileIOError) {
      try removeLeftovers(besides: kept)
      try record.write(in: directory)
    } catch { throw .fileIO(error) }
    let last = missing.filter { takesPlace($0) }
    missing.removeAll { takesPlace($0) }
    guard try copyOrKeep(missing, progress), try publish(with: last, progress) else {
      // Where that fails the record goes on to say that the next run has to verify all.
      try? withdrawUnproven()
      return false
    }
    return true
  }

  /// Copies segments one after the other; false when `progress` ended it.
  private mutating func copyOrKeep(
    _ copies: [Copy], _ progress: (UInt64, UInt64) -> Bool
  ) throws(LogError) -> Bool {
    for copy in copies {
      guard try copyOrKeep(copy, progress) else { return false }
    }
    return true
  }

  /// Copies a segment. Where that is damaged, too, what an earlier backup has of it stays, and the
  /// report lists what is wrong with that: neither is worth more, unless that has all records.
  private mutating func copyOrKeep(
    _ segmentCopy: Copy, _ progress: (UInt64, UInt64) -> Bool
  ) throws(LogError) -> Bool {
    let (descriptor, segment, byteCount) = segmentCopy
    do throws(LogError) {
      guard try copy(segment, descriptor, byteCount: byteCount, progress) else { return false }
      report.copiedSegmentCount += 1
      report.copiedByteCount += byteCount
    } catch .corruption(let damage) {
      guard let rebuildable = damagedHere[descriptor.identifier] else { throw .corruption(damage) }
      if rebuildable.isEmpty { report.damages.append(damage) }
      report.rebuildable += rebuildable
      report.keptSegmentCount += 1
      report.keptByteCount += byteCount
    }
    return true
  }

  /// Whether it takes the place of the segment that was active in the earlier backup.
  private func takesPlace(_ copy: Copy) -> Bool {
    earlier?.segments[copy.descriptor.identifier]?.isSealed == false
  }

  /// All that the copy is to have.
  private func copies() throws(LogError) -> [Copy] {
    var copies: [Copy] = []
    for descriptor in source.manifest.segments {
      guard let segment = source.segment(descriptor.identifier) else {
        preconditionFailure("a segment that the manifest lists must be in the view")
      }
      copies.append((descriptor, segment, try byteCount(of: segment)))
    }
    return copies
  }

  private func byteCount(of segment: Segment) throws(LogError) -> UInt64 {
    if let active = source.active, active.segment === segment { return active.end }
    let file = try openFile(of: segment)
    do throws(FileIOError) { return try file.size() } catch { throw .fileIO(error) }
  }

  /// A damaged header is found again, and told, by who verifies the copy.
  private func openFile(of segment: Segment) throws(LogError) -> any File {
    do throws(LogError) { return try segment.openFile() } catch {
      let isTold = takesDamage || purpose == .backup && verifiesKept
      guard isTold, let damage = error.damage, damage.reason != Segment.missing else {
        throw error
      }
      return try segment.openUnchecked()
    }
  }

  /// Whether this very segment is there, sealed: in an earlier backup, where that it is the same
  /// was checked, or left by an interrupted run.
  private mutating func isThere(
    _ descriptor: SegmentDescriptor, byteCount: UInt64
  ) throws(LogError) -> Bool {
    guard let known = earlier?.segments[descriptor.identifier] else {
      return isLeftWhole(descriptor, byteCount: byteCount)
    }
    guard known.isSealed else { return false }
    let file: any File
    do throws(FileIOError) {
      file = try directory.open(StoreDirectory.segment(descriptor.identifier), .read)
      guard try file.size() == byteCount else { return false }
    } catch {
      if error.reason == .notFound { return false }
      throw .fileIO(error)
    }
    guard verifiesKept else { return true }
    let rebuildable = try rebuildable(of: file, descriptor)
    if rebuildable?.isEmpty == true { return true }
    if purpose == .backup { damagedHere[descriptor.identifier] = rebuildable ?? [] }
    return false
  }

  /// Whether an interrupted run left this very segment, which no manifest lists: all of it must
  /// verify, or its records have then, and what is behind them must now: a run that failed beside
  /// an earlier backup leaves that rotten. What cannot be read proves nothing, and is copied again.
  private func isLeftWhole(_ descriptor: SegmentDescriptor, byteCount: UInt64) -> Bool {
    guard descriptor.isSealed else { return false }
    do {
      let file = try directory.open(StoreDirectory.segment(descriptor.identifier), .read)
      guard try file.size() == byteCount else { return false }
      if trustsLeft {
        return try segment(descriptor, in: file).isFramed(file, as: descriptor, of: manifest)
      }
      return try rebuildable(of: file, descriptor)?.isEmpty == true
    } catch { return false }
  }

  /// Removes what interrupted runs left and this one does not keep, which needs no room itself.
  private mutating func removeLeftovers(
    besides kept: Set<SegmentIdentifier>
  ) throws(FileIOError) {
    try removeCopy()
    let left = try directory.list().compactMap { StoreDirectory.segmentIdentifier(of: $0) }
      .filter { !kept.contains($0) && earlier?.segments[$0] == nil }
    guard !left.isEmpty else { return }
    // The manifest in force lists none of them. It may not be durable yet, nor the record that says
    // of what lies there without one that it is no store.
    try directory.synchronize()
    for identifier in left {
      try directory.remove(StoreDirectory.segment(identifier))
      report.removedFileCount += 1
    }
    // The record may say next that all that lies there verified.
    try directory.synchronize()
  }

  /// Before a segment of which not all verifies takes its name: the record must not go on to say
  /// that all that lies there did. Beside an earlier backup that is only an index.
  private mutating func distrust(_ segment: Segment) throws(FileIOError) {
    guard earlier?.segments[segment.identifier] == nil else { return }
    unproven.append(segment.name)
    guard record.isProven else { return }
    record.isProven = false
    try record.write(in: directory)
  }

  /// Removes what this run copied though not all of it verifies, when it is ended: the next one
  /// would copy, and report, it again, and can trust the rest.
  private mutating func withdrawUnproven() throws(FileIOError) {
    guard !unproven.isEmpty else { return }
    for name in unproven { try directory.remove(name) }
    try directory.synchronize()
    guard earlier == nil else { return }
    record.isProven = true
    try record.write(in: directory)
  }

  /// A segment of the copy, whose file is `file`.
  private func segment(_ descriptor: SegmentDescriptor, in file: any File) -> Segment {
    Segment(
      descriptor, store: manifest.store, directory: directory, readMode: .buffered,
      dictionaries: source.dictionaries, file: file)
  }

  /// What is wrong with a segment that is there and has all records; nothing where they do not
  /// verify. Unless all does it is copied again.
  private func rebuildable(
    of file: any File, _ descriptor: SegmentDescriptor
  ) throws(LogError) -> [CorruptionReport]? {
    do throws(LogError) {
      var check = try SegmentCheck(
        segment(descriptor, in: file), descriptor: descriptor, manifest: manifest)
      try check.run()
      return check.rebuildable
    } catch {
      guard error.damage != nil else { throw error }
      return nil
    }
  }

  private func removeCopy() throws(FileIOError) {
    do throws(FileIOError) { try directory.remove(StoreDirectory.newCopy) } catch {
      if error.reason != .notFound { throw error }
    }
  }

  /// Copies a segment; nothing is left of one that was not copied whole.
  private mutating func copy(
    _ segment: Segment, _ descriptor: SegmentDescriptor, byteCount: UInt64,
    _ progress: (UInt64, UInt64) -> Bool
  ) throws(LogError) -> Bool {
    var isWhole = false
    defer { if !isWhole { try? removeCopy() } }
    guard let copy = try copyBytes(of: segment, byteCount, progress) else { return false }
    let isProven = try verify(copy, descriptor)
    do throws(FileIOError) {
      if !isProven { try distrust(segment) }
      try directory.rename(StoreDirectory.newCopy, to: segment.name)
    } catch { throw .fileIO(error) }
    isWhole = true
    return true
  }

  /// The copy, synchronized; nothing when `progress` ended it.
  private mutating func copyBytes(
    of segment: Segment, _ byteCount: UInt64, _ progress: (UInt64, UInt64) -> Bool
  ) throws(LogError) -> (any File)? {
    let file = try openFile(of: segment)
    do throws(FileIOError) {
      try removeCopy()
      let target = try directory.open(StoreDirectory.newCopy, .createNew)
      if try file.clone(byteCount, to: target) {
        byteCountDone += byteCount
        guard progress(byteCountDone, byteCountTotal) else { return nil }
      } else {
        let isWhole = try file.copy(byteCount, to: target, in: directory.path) { count in
          byteCountDone += count
          return progress(byteCountDone, byteCountTotal)
        }
        guard isWhole else { return nil }
      }
      try target.synchronize()
      return target
    } catch {
      let failure = LogError.fileIO(error)
      guard failure.isFailedReading(of: [segment.identifier]), var damage = failure.damage else {
        throw failure
      }
      damage.remedy = "Save what can be read of the store with salvage"
      throw .corruption(damage)
    }
  }

  /// Verifies what was copied as `verify` does, so that neither damage of the store nor of the way
  /// takes the place of what is intact; false where not all does and it is taken all the same.
  private mutating func verify(
    _ copy: any File, _ descriptor: SegmentDescriptor
  ) throws(LogError) -> Bool {
    do throws(LogError) {
      var check = try SegmentCheck(
        segment(descriptor, in: copy), descriptor: descriptor, manifest: manifest)
      try check.run()
      report.rebuildable += check.rebuildable
      return check.rebuildable.isEmpty
    } catch .corruption(var damage) {
      if takesDamage {
        report.damages.append(damage)
        return false
      }
      damage.remedy =
        "Restore the store from a backup; one that is made to a new directory copies what is there"
      throw .corruption(damage)
    }
  }

  /// Puts the manifest in force after `last` was copied, which changes the earlier backup: nothing
  /// may want room from then on, so the manifest is written before. False when `progress` ended it.
  private mutating func publish(
    with last: [Copy], _ progress: (UInt64, UInt64) -> Bool
  ) throws(LogError) -> Bool {
    var isInForce = false
    defer { if !isInForce { ManifestFile.discard(in: directory) } }
    do throws(ManifestFile.Failure) {
      try ManifestFile.prepare(manifest.encode(), in: directory)
    } catch { throw .fileIO(error.cause) }
    guard try copyOrKeep(last, progress) else { return false }
    do throws(ManifestFile.Failure) {
      try ManifestFile.putInForce(in: directory, hasNewNames: true)
    } catch { throw .fileIO(error.cause) }
    isInForce = true
    let segments = manifest.segments.map { StoreDirectory.segment($0.identifier) }
    let listed = Set((segments + [StoreDirectory.backup]).map(\.description))
    do throws(FileIOError) {
      let before = record
      record.isUnfinished = false
      record.isDamaged = !report.damages.isEmpty
      if record != before { try record.write(in: directory) }
      for text in try directory.list() where !listed.contains(text) && EarlierBackup.isOurs(text) {
        guard let name = FileName(text) else { continue }
        try directory.remove(name)
        report.removedFileCount += 1
      }
    } catch { throw .fileIO(error) }
    return true
  }
}
