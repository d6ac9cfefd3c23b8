internal import BinaryCoding
public import FileIO

/// Saves all that verifies of a damaged store into a new one; the old one is not changed.
///
/// 1. Find out which segments count: from the manifest, from one rebuilt, from a copy in the log,
///    or else all that are there. 2. Where records may be compressed against dictionaries, read all
///    segments to see which of those verify. 3. Take every record that verifies and whose
///    dictionary is there, wherever it lies: see ``SegmentSalvage``. 4. Write those of a segment,
///    the newest of each key, to a new segment, to the bit, so that rot never gets a fresh
///    checksum. 5. Count what is live, write a manifest. When that fails, what was written is
///    removed.
///
/// A record verifies only under its sequence and in its store, so nothing is made up. What was lost
/// may have been newer than what was saved: an object may be back in an older state, or after it
/// was deleted. The report says where.
public struct LogSalvage {
  private let source: any Directory
  private let target: any Directory
  private let random: any RandomSource
  private var report = SalvageReport()
  /// The segments that were written.
  private var outputs: [SegmentDescriptor] = []
  /// The files that were begun.
  private var created: [FileName] = []
  /// The dictionaries that verify, where records may need any.
  private var dictionaries: Set<UInt32>?

  /// A segment that is to be read.
  private struct Victim {
    let identifier: SegmentIdentifier
    let salt: UInt64?
    /// Whether all frames belong to whole commits.
    let isComplete: Bool
  }

  /// Saves what verifies of the store at `path` into a new store at `out`.
  ///
  /// Memory is one frame plus one segment's index. `progress` is told the bytes read and those of
  /// all segments, after each segment.
  /// - Throws: ``LogError/notAStore(path:)`` when no segment tells whose it is,
  ///   ``LogError/copyRefused(path:reason:)`` when something lies at `out`,
  ///   ``LogError/storeIsInUse(path:holder:)``, ``LogError/storeNotFound(path:)``,
  ///   ``LogError/newerFormat(file:found:supported:)``, ``LogError/fileIO(_:)``.
  public static func salvage(
    _ path: String, to out: String, fileSystem: any FileSystem = POSIXFileSystem(),
    randomSource: any RandomSource = SystemRandomSource(),
    progress: (UInt64, UInt64) -> Void = { _, _ in }
  ) throws(LogError) -> SalvageReport {
    let source: any Directory
    let target: any Directory
    do throws(FileIOError) {
      source = try budgeted(fileSystem.openDirectory(at: path, create: false))
      try source.lock(.shared)
    } catch {
      switch error.reason {
      case .notFound: throw .storeNotFound(path: path)
      case .locked(let holder): throw .storeIsInUse(path: path, holder: holder)
      default: throw .fileIO(error)
      }
    }
    defer { source.unlock() }
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
    if let other = others.first { throw .copyRefused(path: out, reason: "it holds \(other)") }
    var salvage = LogSalvage(source: source, target: target, random: randomSource)
    do throws(LogError) { try salvage.run(progress) } catch {
      salvage.removeOutputs()
      throw error
    }
    return salvage.report
  }

  /// With few descriptors, however many segments there are.
  private static func budgeted(_ directory: any Directory) -> any Directory {
    BudgetedDirectory(directory, budget: OpenFileBudget(maximum: OpenFileBudget.maximumByDefault))
  }

  /// Leaves nothing of a salvage that failed; the manifest goes first.
  private func removeOutputs() {
    for name in [StoreDirectory.manifest, StoreDirectory.newManifest] + created {
      do throws(FileIOError) { try target.remove(name) } catch {}
    }
  }

  private init(source: any Directory, target: any Directory, random: any RandomSource) {
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
    let victims = try victims(manifest, found, store)
    var total: UInt64 = 0
    var sizes: [UInt64?] = []
    for victim in victims {
      let size = try size(of: StoreDirectory.segment(victim.identifier))
      sizes.append(size)
      total += size ?? 0
    }
    if manifest?.usesDictionaries
      ?? found.contains(where: { $0.header?.mayNeedDictionaries ?? true })
    {
      dictionaries = try dictionaries(in: zip(victims, sizes).filter { $1 != nil }.map(\.0), store)
    }
    for (victim, size) in zip(victims, sizes) {
      let name = StoreDirectory.segment(victim.identifier)
      guard let size else {
        report.losses.append(
          SalvageReport.Loss(file: name.description, range: 0..<0, reason: "it is missing"))
        continue
      }
      try save(victim, store: store)
      report.segmentCount += 1
      report.byteCount += size
      progress(report.byteCount, total)
    }
    try finish(store)
  }

  /// Most headers decide: one may have been changed.
  private static func store(of found: [FoundSegment]) -> StoreIdentifier? {
    var counts: [StoreIdentifier: Int] = [:]
    for store in found.compactMap({ $0.header?.store }) { counts[store, default: 0] += 1 }
    return counts.max { ($0.value, $0.key.description) < ($1.value, $1.key.description) }?.key
  }

  /// The manifest, or the one that it is rebuilt as; nothing when neither can be had.
  private mutating func manifest() throws(LogError) -> Manifest? {
    let name = StoreDirectory.manifest.description
    var damage = CorruptionReport(file: name, offset: 0, reason: "it is missing")
    do throws(LogError) {
      if let found = try ManifestFile.read(in: source) { return found }
    } catch .corruption(let found) { damage = found }
    report.losses.append(
      SalvageReport.Loss(
        file: name, range: 0..<(try size(of: StoreDirectory.manifest) ?? 0),
        reason: damage.reason))
    var configuration = LogConfiguration()
    configuration.access = .readOnly
    configuration.readMode = .buffered
    do throws(LogError) {
      let state = try ManifestRebuilding.rebuild(
        after: damage, in: source, configuration: configuration)
      guard let state else { return nil }
      report.notes.append("the manifest was rebuilt from the log")
      // A tail that was recovered is read like a segment that is not sealed.
      return state.manifest
    } catch .corruption { return nil }
  }

  private mutating func victims(
    _ manifest: Manifest?, _ found: [FoundSegment], _ store: StoreIdentifier
  ) throws(LogError) -> [Victim] {
    if let manifest {
      return manifest.segments.map {
        Victim(identifier: $0.identifier, salt: $0.salt, isComplete: $0.isSealed)
      }
    }
    let own = found.filter { ($0.header.map { $0.store == store } ?? $0.hasContents) }
    let copy = found.compactMap(\.copy).max { $0.generation < $1.generation }
    let salts = Dictionary(
      uniqueKeysWithValues: copy?.segments.map { ($0.identifier, $0.salt) } ?? [])
    if copy == nil {
      report.notes.append(
        "no manifest tells which segments count; all were taken, so deleted objects may be back")
    }
    return own.filter {
      guard let copy else { return true }
      return salts[$0.identifier] != nil || $0.identifier.rawValue >= copy.nextSegment
    }.map {
      Victim(
        identifier: $0.identifier, salt: $0.header?.salt ?? salts[$0.identifier],
        isComplete: salts[$0.identifier] != nil)
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

  /// The dictionaries of which any of `victims` has a copy that verifies.
  private func dictionaries(
    in victims: [Victim], _ store: StoreIdentifier
  ) throws(LogError) -> Set<UInt32> {
    var found: Set<UInt32> = []
    for victim in victims {
      found.formUnion(try scan(victim, store: store).segment.foundDictionaries)
    }
    return found
  }

  private func scan(
    _ victim: Victim, store: StoreIdentifier
  ) throws(LogError) -> (segment: SegmentSalvage, file: any File) {
    let name = StoreDirectory.segment(victim.identifier)
    do throws(FileIOError) {
      let file = try source.open(name, .read)
      var segment = SegmentSalvage(
        file, name: name, salt: victim.salt, seed: store.checksumSeed,
        isComplete: victim.isComplete, dictionaries: dictionaries)
      try segment.scan()
      return (segment, file)
    } catch { throw .fileIO(error) }
  }

  /// Copies what verifies of a segment to a new one, in key order.
  private mutating func save(_ victim: Victim, store: StoreIdentifier) throws(LogError) {
    let name = StoreDirectory.segment(victim.identifier)
    let (segment, file) = try scan(victim, store: store)
    report.losses += segment.losses
    report.recordCount += segment.recordCount
    guard segment.table.count > 0 else { return }
    // What commits compressed is kept to the bit: compaction may do better.
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
    let active = ActiveSegment(
      writer: writer,
      segment: Segment(
        descriptor, store: store, directory: target, readMode: .buffered,
        dictionaries: DictionaryShelf(store, in: target, observer: nil), file: writer.file),
      account: SegmentAccount(descriptor))
    try copy(segment.table, of: file, name: name, to: RewriteOutput(active))
    do throws(FileIOError) { try writer.file.synchronize() } catch { throw .fileIO(error) }
    outputs.append(active.account.descriptor)
  }

  private func copy(
    _ table: MemoryTable, of file: any File, name: FileName, to output: consuming RewriteOutput
  ) throws(LogError) {
    var output = output
    let published = table.publish()
    var cursor = published.cursor(from: nil)
    while let (_, value) = cursor.current {
      let bytes = try FileReading.exactly(
        Int(value.length), of: file, at: UInt64(value.offset), name: name)
      let header: RecordHeader
      do throws(BinaryDecodingError) {
        header = try bytes.withBytes {
          (bytes: UnsafeRawBufferPointer) throws(BinaryDecodingError) in
          try RecordHeader(decoding: bytes)
        }
      } catch {
        throw .corruption(
          CorruptionReport(
            file: name.description, offset: UInt64(value.offset), reason: "it changed: \(error)"))
      }
      do throws(FileIOError) {
        try bytes.withBytes { (bytes: UnsafeRawBufferPointer) throws(FileIOError) in
          try output.append(bytes, header, sequence: value.sequence)
        }
      } catch { throw .fileIO(error) }
      cursor.advance()
    }
    do throws(FileIOError) { try output.finish() } catch { throw .fileIO(error) }
  }

  /// Makes the outputs a store.
  private mutating func finish(_ store: StoreIdentifier) throws(LogError) {
    var manifest = Manifest(store: store)
    manifest.generation = 1
    manifest.usesDictionaries = true
    manifest.nextSegment = UInt32(outputs.count) + 1
    manifest.segments = outputs
    let newest = manifest.segments.reduce(CommitSequence.zero) { max($0, $1.maximumSequence) }
    manifest.lastSequence = newest
    manifest.durableSequence = newest
    var configuration = LogConfiguration()
    configuration.readMode = .buffered
    let state = Recovery.sealedState(of: manifest, in: target, configuration: configuration)
    let totals = try LiveTotalsCheck.totals(in: state.view)
    for index in manifest.segments.indices {
      let live = totals[manifest.segments[index].identifier] ?? LiveTotals()
      manifest.segments[index].live = live
      report.liveRecordCount += live.total.recordCount
    }
    if let last = manifest.segments.last { try leaveCopy(of: manifest, in: last) }
    created += [StoreDirectory.backup, StoreDirectory.newBackup]
    do throws(FileIOError) {
      try target.synchronize()
      // It has the identifier of the damaged store, and not all that a backup of that one has.
      try BackupRecord(ofSalvaged: store, random: random.next()).write(in: target)
    } catch { throw .fileIO(error) }
    do throws(ManifestFile.Failure) {
      try ManifestFile.replace(with: manifest, in: target)
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
