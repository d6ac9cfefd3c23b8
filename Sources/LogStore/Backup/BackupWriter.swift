internal import FileIO

/// Copies a state of a store into a directory, whose lock the caller holds.
///
/// 1. Look what lies there: nothing, an earlier backup of the same store that nobody has written to
///    since, or what an interrupted first backup left. 2. Write down what will lie there, see
///    ``BackupRecord``. 3. Copy each segment that is missing under a name that nobody reads,
///    synchronize it, and rename it. A segment that was active in the earlier backup is replaced by
///    one that begins with the same bytes, which is what that backup would find after a crash of
///    its own. 4. Synchronize the directory, then replace the manifest. 5. Remove what it does not
///    list. A crash at any point leaves the earlier backup or the new one.
struct BackupWriter {
  private let source: BackupSource
  /// What the copy's manifest will say.
  private let manifest: Manifest
  private let directory: any Directory
  private var record: BackupRecord
  private let known: [SegmentIdentifier: SegmentDescriptor]
  private(set) var report = BackupReport()
  private var byteCountDone: UInt64 = 0
  private var byteCountTotal: UInt64 = 0

  private static let pieceByteCount = 1 << 20

  init(
    _ source: BackupSource, to directory: any Directory, mayReplace: Bool
  ) throws(LogError) {
    self.source = source
    self.directory = directory
    report.lastSequence = source.lastSequence
    var manifest = source.manifest
    manifest.runs = []
    self.manifest = manifest
    let found = try Self.earlier(of: manifest.store, in: directory)
    record = BackupRecord(of: manifest, after: found?.bytes)
    known = Dictionary(
      uniqueKeysWithValues: (found?.manifest.segments ?? []).map { ($0.identifier, $0) })
    guard let earlier = found?.manifest else { return }
    guard mayReplace else {
      throw Self.refusal(directory, "a store lies there already; give a new directory")
    }
    guard earlier.lastSequence <= source.lastSequence else {
      throw Self.refusal(
        directory, "it holds a later state of the store than the one to be copied")
    }
    try checkDescent()
  }

  /// Throws when a segment of the earlier backup is another one in the source: a store that was
  /// restored from an older backup goes a way of its own, and this one may hold what it has not.
  private func checkDescent() throws(LogError) {
    for descriptor in source.manifest.segments {
      guard let other = known[descriptor.identifier] else { continue }
      let isSame =
        other.salt == descriptor.salt
        && (!other.isSealed
          || other.dataEnd == descriptor.dataEnd
            && other.closingHash == descriptor.closingHash)
      guard isSame else {
        throw Self.refusal(
          directory,
          "the store was restored from an older backup, and what lies there has gone a way of its "
            + "own; give another directory")
      }
    }
  }

  private static func refusal(_ directory: any Directory, _ reason: String) -> LogError {
    .copyRefused(path: directory.path, reason: reason)
  }

  /// The manifest of an earlier backup; nothing when there is none, and an error when the directory
  /// holds something else.
  private static func earlier(
    of store: StoreIdentifier, in directory: any Directory
  ) throws(LogError) -> (manifest: Manifest, bytes: [UInt8])? {
    let found: (manifest: Manifest, bytes: [UInt8])?
    let record: BackupRecord?
    do throws(LogError) {
      found = try ManifestFile.readWithBytes(in: directory)
      record = try BackupRecord.read(in: directory)
    } catch .corruption(let damage) {
      throw refusal(
        directory,
        "its \(damage.file) is damaged (\(damage.reason)); give another directory, or see what "
          + "salvage saves of this one")
    }
    guard let found else {
      try checkUnfinished(record, of: store, in: directory)
      return nil
    }
    guard found.manifest.store == store else {
      throw refusal(directory, "another store lies there")
    }
    guard let record else {
      throw refusal(
        directory, "a copy of the store lies there that no backup has made; give another directory")
    }
    guard record.store == store, record.describes(manifestBytes: found.bytes) else {
      throw refusal(
        directory,
        "the backup there was written to since it was made, and has gone a way of its own; give "
          + "another directory")
    }
    return found
  }

  /// Throws when a directory without a manifest holds more than an interrupted first backup leaves:
  /// segments may be all that is left of a store.
  private static func checkUnfinished(
    _ record: BackupRecord?, of store: StoreIdentifier, in directory: any Directory
  ) throws(LogError) {
    let names: [String]
    do throws(FileIOError) { names = try directory.list() } catch { throw .fileIO(error) }
    if let other = names.first(where: { !isOurs($0) }) {
      throw refusal(directory, "it holds \(other); give an empty directory")
    }
    if let record, record.isUnfinished, record.store == store { return }
    let passing = [
      StoreDirectory.newManifest, StoreDirectory.newCopy, StoreDirectory.newBackup,
    ].map(\.description)
    guard let other = names.first(where: { !passing.contains($0) }) else { return }
    throw refusal(
      directory,
      "it holds \(other) but no manifest, so a store may have lost it; give another directory, and "
        + "see what salvage saves of this one")
  }

  private static func isOurs(_ name: String) -> Bool {
    StoreDirectory.segmentIdentifier(of: name) != nil
      || StoreDirectory.runIdentifier(of: name) != nil
      || [
        StoreDirectory.newManifest, StoreDirectory.newCopy, StoreDirectory.backup,
        StoreDirectory.newBackup,
      ].map(\.description).contains(name)
  }

  /// False when `progress` ended it.
  mutating func run(_ progress: (UInt64, UInt64) -> Bool) throws(LogError) -> Bool {
    var missing: [(segment: Segment, byteCount: UInt64)] = []
    for descriptor in source.manifest.segments {
      guard let segment = source.segment(descriptor.identifier) else {
        preconditionFailure("a segment that the manifest lists must be in the view")
      }
      let byteCount = try byteCount(of: segment)
      byteCountTotal += byteCount
      if try isThere(descriptor, byteCount: byteCount) {
        report.keptSegmentCount += 1
        report.keptByteCount += byteCount
        byteCountDone += byteCount
      } else {
        missing.append((segment, byteCount))
      }
    }
    do throws(FileIOError) { try record.write(in: directory) } catch { throw .fileIO(error) }
    for (segment, byteCount) in missing {
      guard try copy(segment, byteCount: byteCount, progress) else { return false }
      report.copiedSegmentCount += 1
      report.copiedByteCount += byteCount
    }
    try publish()
    return true
  }

  private func byteCount(of segment: Segment) throws(LogError) -> UInt64 {
    if let active = source.active, active.segment === segment { return active.end }
    let file = try segment.openFile()
    do throws(FileIOError) { return try file.size() } catch { throw .fileIO(error) }
  }

  /// Whether an earlier backup has this very segment, sealed; that it is the same was checked.
  private func isThere(
    _ descriptor: SegmentDescriptor, byteCount: UInt64
  ) throws(LogError) -> Bool {
    guard known[descriptor.identifier]?.isSealed == true else { return false }
    do throws(FileIOError) {
      return try directory.open(StoreDirectory.segment(descriptor.identifier), .read).size()
        == byteCount
    } catch {
      if error.reason == .notFound { return false }
      throw .fileIO(error)
    }
  }

  private func removeCopy() throws(FileIOError) {
    do throws(FileIOError) { try directory.remove(StoreDirectory.newCopy) } catch {
      if error.reason != .notFound { throw error }
    }
  }

  /// Copies a segment; nothing is left of one that was not copied whole.
  private mutating func copy(
    _ segment: Segment, byteCount: UInt64, _ progress: (UInt64, UInt64) -> Bool
  ) throws(LogError) -> Bool {
    var isWhole = false
    defer { if !isWhole { try? removeCopy() } }
    isWhole = try copyWhole(segment, byteCount: byteCount, progress)
    return isWhole
  }

  private mutating func copyWhole(
    _ segment: Segment, byteCount: UInt64, _ progress: (UInt64, UInt64) -> Bool
  ) throws(LogError) -> Bool {
    let file = try segment.openFile()
    do throws(FileIOError) {
      try removeCopy()
      let target = try directory.open(StoreDirectory.newCopy, .createNew)
      if try file.clone(byteCount, to: target) {
        byteCountDone += byteCount
        guard progress(byteCountDone, byteCountTotal) else { return false }
      } else {
        guard try copy(file, to: target, byteCount, progress) else { return false }
      }
      try target.synchronize()
      try directory.rename(StoreDirectory.newCopy, to: segment.name)
    } catch { throw .fileIO(error) }
    return true
  }

  private mutating func copy(
    _ file: any File, to target: any File, _ byteCount: UInt64,
    _ progress: (UInt64, UInt64) -> Bool
  ) throws(FileIOError) -> Bool {
    let piece = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Self.pieceByteCount, alignment: 16)
    defer { piece.deallocate() }
    var offset: UInt64 = 0
    while offset < byteCount {
      let wanted = min(byteCount - offset, UInt64(piece.count))
      let count = try file.read(
        into: UnsafeMutableRawBufferPointer(rebasing: piece[..<Int(wanted)]), at: offset)
      guard count > 0 else {
        throw FileIOError(.ioError, operation: "read for a backup", path: directory.path)
      }
      try target.write([UnsafeRawBufferPointer(rebasing: piece[..<count])], at: offset)
      offset += UInt64(count)
      byteCountDone += UInt64(count)
      guard progress(byteCountDone, byteCountTotal) else { return false }
    }
    return true
  }

  private mutating func publish() throws(LogError) {
    do throws(FileIOError) { try directory.synchronize() } catch { throw .fileIO(error) }
    do throws(ManifestFile.Failure) {
      try ManifestFile.replace(with: manifest, in: directory)
    } catch { throw .fileIO(error.cause) }
    let segments = manifest.segments.map { StoreDirectory.segment($0.identifier) }
    let listed = Set((segments + [StoreDirectory.backup]).map(\.description))
    do throws(FileIOError) {
      if record.isUnfinished {
        record.isUnfinished = false
        try record.write(in: directory)
      }
      for text in try directory.list() where !listed.contains(text) && Self.isOurs(text) {
        guard let name = FileName(text) else { continue }
        try directory.remove(name)
        report.removedFileCount += 1
      }
    } catch { throw .fileIO(error) }
  }
}
