internal import BinaryCoding
public import FileIO

/// Saves all that verifies of a damaged store into a new one; the old one is not changed.
///
/// 1. Find out which segments count: from the manifest, from one rebuilt, from a copy in the log,
///    or else all that are there: see ``SalvagePlan``. 2. Where records may be compressed against
///    dictionaries, read all segments to see which of those verify. 3. Take every record that
///    verifies and whose dictionary is there, wherever it lies: see ``SegmentSalvage``. 4. Write
///    those of a segment, the newest of each key, to a new segment, to the bit, so that rot never
///    gets a fresh checksum. 5. Count what is live, write a manifest. When that fails, what was
///    written is removed.
///
/// What cannot be read is a loss like what does not verify, and ends nothing: see
/// ``SalvageSource``. A record verifies only under its sequence and in its store, so nothing is
/// made up. What was lost may have been newer than what was saved: an object may be back in an
/// older state, or after it was deleted. The report says where.
public struct LogSalvage {
  private let source: SalvageSource
  private let target: any Directory
  private let random: any RandomSource
  private var report = SalvageReport()
  /// The segments that were written.
  private var outputs: [SegmentDescriptor] = []
  /// What they hold, where two segments of the damaged store may have one record.
  private var saved: SavedRecords?
  /// The files that were begun.
  private var created: [FileName] = []
  /// The dictionaries that verify, where records may need any.
  private var dictionaries: Set<UInt32>?
  private var byteCountDone: UInt64 = 0
  private var byteCountTotal: UInt64 = 0

  /// Saves what verifies of the store at `path` into a new store at `out`.
  ///
  /// Memory is one record plus one segment's index. `progress` is told how many bytes are done and
  /// how many there are to do: twice those of all segments where dictionaries are looked for first.
  /// - Throws: ``LogError/notAStore(path:)`` when no segment tells whose it is,
  ///   ``LogError/copyRefused(path:reason:)`` when something lies at `out`,
  ///   ``LogError/storeIsInUse(path:holder:)``, ``LogError/storeNotFound(path:)``,
  ///   ``LogError/newerFormat(file:found:supported:)``, ``LogError/fileIO(_:)``.
  public static func salvage(
    _ path: String, to out: String, fileSystem: any FileSystem = POSIXFileSystem(),
    randomSource: any RandomSource = SystemRandomSource(),
    progress: (UInt64, UInt64) -> Void = { _, _ in }
  ) throws(LogError) -> SalvageReport {
    let source = SalvageSource(try fileSystem.lockedStore(at: path))
    let target: any Directory
    defer { source.unlock() }
    if try source.isUnused() { throw .storeNotFound(path: path) }
    let others: [String]
    do throws(FileIOError) {
      target = try budgeted(fileSystem.openDirectory(at: out, create: true))
      try target.lock(.exclusive)
      others = try target.list()
    } catch {
      if case .locked(let holder) = error.reason { throw .storeIsInUse(path: out, holder: holder) }
      throw .fileIO(error)
    }
    defer { target.unlock() }
    if let reason = obstacle(among: others) { throw .copyRefused(path: out, reason: reason) }
    var salvage = LogSalvage(source: source, target: target, random: randomSource)
    do throws(LogError) { try salvage.run(progress) } catch {
      salvage.removeOutputs()
      throw error
    }
    return salvage.report
  }

  /// Leaves nothing of a salvage that failed; the manifest goes first.
  private func removeOutputs() {
    for name in [StoreDirectory.manifest, StoreDirectory.newManifest] + created {
      do throws(FileIOError) { try target.remove(name) } catch {}
    }
  }

  private init(source: SalvageSource, target: any Directory, random: any RandomSource) {
    self.source = source
    self.target = target
    self.random = random
  }

  private mutating func run(_ progress: (UInt64, UInt64) -> Void) throws(LogError) {
    let found = try FoundSegment.all(in: source)
    let manifest = try manifest()
    guard let store = manifest?.store ?? Self.store(of: found) else {
      throw .notAStore(path: source.path)
    }
    let plan: SalvagePlan
    if let manifest {
      plan = SalvagePlan(manifest)
    } else {
      plan = try SalvagePlan(of: found, store: store, in: source)
      saved = SavedRecords(store: store, in: target)
    }
    report.losses += plan.losses
    report.notes += plan.notes
    var sizes: [UInt64?] = []
    for victim in plan.victims { sizes.append(try size(of: victim.name)) }
    byteCountTotal = sizes.reduce(0) { $0 + ($1 ?? 0) }
    if manifest?.usesDictionaries
      ?? found.contains(where: { $0.header?.mayNeedDictionaries ?? true })
    {
      byteCountTotal *= 2
      var verified: Set<UInt32> = []
      for (victim, size) in zip(plan.victims, sizes) {
        guard let size else { continue }
        let segment = try scan(victim, size, store: store, progress).segment
        verified.formUnion(segment.foundDictionaries)
      }
      dictionaries = verified
    }
    for (victim, size) in zip(plan.victims, sizes) {
      guard let size else {
        lose(0..<0, of: victim.name, "it is missing")
        continue
      }
      try save(victim, size, store: store, progress)
      report.segmentCount += 1
      report.byteCount += size
    }
    try finish(store)
  }

  private mutating func lose(_ range: Range<UInt64>, of name: FileName, _ reason: String) {
    report.losses.append(
      SalvageReport.Loss(file: name.description, range: range, reason: reason))
  }

  /// Most headers decide: one may have been changed.
  private static func store(of found: [FoundSegment]) -> StoreIdentifier? {
    var counts: [StoreIdentifier: Int] = [:]
    for store in found.compactMap({ $0.header?.store }) { counts[store, default: 0] += 1 }
    return counts.max { ($0.value, $0.key.description) < ($1.value, $1.key.description) }?.key
  }

  /// The manifest, or the one that it is rebuilt as; nothing when neither can be had.
  private mutating func manifest() throws(LogError) -> Manifest? {
    let name = StoreDirectory.manifest
    var damage = CorruptionReport(file: name.description, offset: 0, reason: "it is missing")
    do throws(LogError) {
      if let found = try ManifestFile.read(in: source) { return found }
    } catch .corruption(let found) { damage = found }
    if let unread = source.damage(of: name) { damage.reason = unread.sentence }
    let byteCount = try size(of: name)
    defer { lose(0..<(byteCount ?? 0), of: name, damage.reason) }
    if byteCount == nil, (try? BackupRecord.read(in: source))?.isUnfinished == true {
      report.notes.append(
        "it is an unfinished copy: what was not copied yet is missing, and not listed as lost")
      // What the segments tell together they tell when all are there.
      return nil
    }
    var configuration = LogConfiguration()
    configuration.access = .readOnly
    configuration.readMode = .buffered
    do throws(LogError) {
      // Nothing is certain where something cannot be read, so that must not be zeros here.
      let state = try ManifestRebuilding.rebuild(
        after: damage, in: source.directory, configuration: configuration)
      guard let state else { return nil }
      report.notes.append("the manifest was rebuilt from the log")
      // A tail that was recovered is read like a segment that is not sealed.
      return state.manifest
    } catch {
      // It may tell of commits whose segments are gone.
      guard let obstacle = error.damage else { throw error }
      damage.reason += "; it cannot be rebuilt: \(obstacle.reason)"
      return nil
    }
  }

  private func size(of name: FileName) throws(LogError) -> UInt64? {
    do throws(FileIOError) {
      return try source.open(name, .read).size()
    } catch {
      if error.reason == .notFound { return nil }
      throw .fileIO(error)
    }
  }

  private mutating func scan(
    _ victim: SalvageVictim, _ size: UInt64, store: StoreIdentifier,
    _ progress: (UInt64, UInt64) -> Void
  ) throws(LogError) -> (segment: SegmentSalvage, file: any File) {
    let (done, total) = (byteCountDone, byteCountTotal)
    do throws(FileIOError) {
      let file = try source.open(victim.name, .read)
      var segment = try SegmentSalvage(
        victim, file, seed: store.checksumSeed, dictionaries: dictionaries)
      try segment.scan { progress(done + min($0, size), total) }
      byteCountDone = done + size
      progress(byteCountDone, total)
      return (segment, file)
    } catch { throw .fileIO(error) }
  }

  /// Copies what verifies of a segment to a new one, in key order.
  private mutating func save(
    _ victim: SalvageVictim, _ size: UInt64, store: StoreIdentifier,
    _ progress: (UInt64, UInt64) -> Void
  ) throws(LogError) {
    let (segment, file) = try scan(victim, size, store: store, progress)
    noteLosses(of: victim.name, segment)
    // Those that newer ones of the same segment replaced are not copied.
    report.recordCount += UInt64(segment.table.count)
    guard segment.table.count > 0 else { return }
    // What commits compressed is kept to the bit: compaction may do better.
    let active = try beginOutput(store)
    try copy(
      segment.table, of: file, name: victim.name, seed: store.checksumSeed,
      to: RewriteOutput(active))
    try endOutput(active)
  }

  /// A segment for records in key order.
  private mutating func beginOutput(_ store: StoreIdentifier) throws(LogError) -> ActiveSegment {
    var header = SegmentHeader(
      compatibleFlags: SegmentHeader.quickFlag, store: store,
      segment: SegmentIdentifier(UInt32(outputs.count) + 1), stream: .compaction,
      salt: random.next(), predecessor: 0, predecessorHash: 0, firstSequence: .zero)
    // Records are copied to the bit, and may need dictionaries that lie in other segments.
    header.allowDictionaries()
    let descriptor = SegmentDescriptor(
      active: header.segment, stream: .compaction, salt: header.salt)
    created.append(StoreDirectory.segment(header.segment))
    let writer: SegmentWriter
    do throws(FileIOError) {
      writer = try SegmentWriter.create(header, in: target, allocationByteCount: 1 << 20)
    } catch { throw .fileIO(error) }
    return ActiveSegment(
      writer: writer,
      segment: Segment(
        descriptor, store: store, directory: target, readMode: .buffered,
        dictionaries: DictionaryShelf(store, in: target, observer: nil), file: writer.file),
      account: SegmentAccount(descriptor))
  }

  private mutating func endOutput(_ active: ActiveSegment) throws(LogError) {
    do throws(FileIOError) { try active.writer.file.synchronize() } catch { throw .fileIO(error) }
    outputs.append(active.account.descriptor)
    saved?.add(active.account.descriptor)
  }

  /// Lists what a segment lost; what cannot be read takes the place of what else is said of it.
  private mutating func noteLosses(of name: FileName, _ segment: SegmentSalvage) {
    guard let damage = source.damage(of: name) else {
      report.losses += segment.losses
      return
    }
    if damage.isWhole { return lose(0..<0, of: name, damage.sentence) }
    var losses: [SalvageReport.Loss] = []
    for loss in segment.losses {
      for range in damage.ranges.gaps(in: loss.range) {
        losses.append(SalvageReport.Loss(file: loss.file, range: range, reason: loss.reason))
      }
    }
    // Behind its records a segment has only what is made from them.
    for range in damage.ranges.clamped(to: 0..<segment.end) {
      losses.append(
        SalvageReport.Loss(file: name.description, range: range, reason: damage.sentence))
    }
    report.losses += losses.sorted { $0.range.lowerBound < $1.range.lowerBound }
  }

  private mutating func copy(
    _ table: MemoryTable, of file: any File, name: FileName, seed: UInt64,
    to output: consuming RewriteOutput
  ) throws(LogError) {
    var output = output
    let published = table.publish()
    var cursor = published.cursor(from: nil)
    while let (key, value) = cursor.current {
      if try saved?.has(key, value.sequence) == true {
        report.recordCount -= 1
        cursor.advance()
        continue
      }
      var bytes = [UInt8](repeating: 0, count: Int(value.length))
      _ = try FileReading.upTo(&bytes, of: file, at: UInt64(value.offset))
      do throws(FileIOError) {
        let isSaved = try bytes.withBytes {
          (bytes: UnsafeRawBufferPointer) throws(FileIOError) -> Bool in
          guard let header = Self.header(of: bytes, sequence: value.sequence, seed: seed) else {
            return false
          }
          try output.append(bytes, header, sequence: value.sequence)
          return true
        }
        if !isSaved { loseRead(value, of: name) }
      } catch { throw .fileIO(error) }
      cursor.advance()
    }
    do throws(FileIOError) { try output.finish() } catch { throw .fileIO(error) }
  }

  /// The header of a record that verifies.
  private static func header(
    of bytes: UnsafeRawBufferPointer, sequence: CommitSequence, seed: UInt64
  ) -> RecordHeader? {
    do throws(BinaryDecodingError) {
      return try RecordDecoder.decode(bytes, sequence: sequence, seed: seed).header
    } catch { return nil }
  }

  /// Lists a record that verified when it was read first, and could not be read again.
  private mutating func loseRead(_ value: IndexValue, of name: FileName) {
    let range = UInt64(value.offset)..<(UInt64(value.offset) + UInt64(value.length))
    var reason = "it changed while it was read"
    if let damage = source.damage(of: name), damage.ranges.overlaps(range) {
      reason = damage.sentence
    }
    report.recordCount -= 1
    lose(range, of: name, reason)
  }

  /// What the outputs hold, as a store.
  private func manifest(of store: StoreIdentifier) throws(LogError) -> Manifest {
    var manifest = Manifest(store: store)
    manifest.generation = 1
    manifest.usesDictionaries = true
    manifest.nextSegment = UInt32(outputs.count) + 1
    manifest.segments = outputs
    let newest = manifest.segments.reduce(CommitSequence.zero) { max($0, $1.maximumSequence) }
    manifest.lastSequence = newest
    manifest.durableSequence = newest
    let totals = try LiveTotalsCheck.totals(in: state(of: manifest).view)
    for index in manifest.segments.indices {
      manifest.segments[index].live = totals[manifest.segments[index].identifier] ?? LiveTotals()
    }
    return manifest
  }

  private func state(of manifest: Manifest) -> RecoveredState {
    var configuration = LogConfiguration()
    configuration.readMode = .buffered
    return Recovery.sealedState(of: manifest, in: target, configuration: configuration)
  }

  /// Writes what was lost of the descriptions of the data, and of which a copy was saved.
  private mutating func restoreDescriptions(_ manifest: Manifest) throws(LogError) {
    let lost = try LostDescriptions(
      in: state(of: manifest).view, hasLosses: !report.losses.isEmpty,
      at: CommitTime(secondsSince1970: SystemTimeSource().secondsSince1970()))
    guard !lost.descriptions.isEmpty else { return }
    let active = try beginOutput(manifest.store)
    var output = RewriteOutput(active)
    try lost.write(
      to: &output, after: manifest.lastSequence, seed: manifest.store.checksumSeed)
    do throws(FileIOError) { try output.finish() } catch { throw .fileIO(error) }
    try endOutput(active)
    let count = lost.restoredCount
    if count == 0 { return }
    report.recordCount += UInt64(count)
    report.notes.append(
      "\(count) \(count == 1 ? "description" : "descriptions") of the data were lost, and put back "
        + "from their copies")
  }

  /// Makes the outputs a store.
  private mutating func finish(_ store: StoreIdentifier) throws(LogError) {
    var manifest = try manifest(of: store)
    let outputCount = outputs.count
    try restoreDescriptions(manifest)
    if outputs.count > outputCount { manifest = try self.manifest(of: store) }
    report.liveRecordCount = manifest.segments.reduce(0) { $0 + $1.live.total.recordCount }
    created += [StoreDirectory.backup, StoreDirectory.newBackup]
    do throws(FileIOError) {
      try target.synchronize()
      // It has the identifier of the damaged store, and not all that a backup of that one has.
      try BackupRecord(ofSalvaged: store, random: random.next()).write(in: target)
    } catch { throw .fileIO(error) }
    // Only then: with the copy it can be opened without a manifest.
    if let last = manifest.segments.last { try leaveCopy(of: manifest, in: last) }
    do throws(ManifestFile.Failure) {
      try ManifestFile.replace(with: manifest.encode(), in: target)
    } catch { throw .fileIO(error.cause) }
  }

  private func leaveCopy(
    of manifest: Manifest, in segment: SegmentDescriptor
  ) throws(LogError) {
    let file: any File
    do throws(FileIOError) {
      file = try target.open(StoreDirectory.segment(segment.identifier), .readWrite)
    } catch { throw .fileIO(error) }
    try ManifestCopy.write(manifest, behindFooterOf: segment, file: file)
    do throws(FileIOError) { try file.synchronize() } catch { throw .fileIO(error) }
  }
}
