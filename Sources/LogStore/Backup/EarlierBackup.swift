internal import FileIO

/// The backup that lies where another one is to be made.
struct EarlierBackup {
  private let directory: any Directory
  private let manifest: Manifest
  let manifestBytes: [UInt8]
  let record: BackupRecord
  /// What its manifest lists.
  let segments: [SegmentIdentifier: SegmentDescriptor]

  private static let pieceByteCount = 256 << 10

  /// The earlier backup in `directory`; nothing when there is none, and an error when it holds
  /// something else.
  static func read(
    of store: StoreIdentifier, in directory: any Directory
  ) throws(LogError) -> EarlierBackup? {
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
    return EarlierBackup(
      directory: directory, manifest: found.manifest, manifestBytes: found.bytes, record: record,
      segments: Dictionary(
        uniqueKeysWithValues: found.manifest.segments.map { ($0.identifier, $0) }))
  }

  /// Throws when a directory without a manifest holds more than an interrupted first backup leaves:
  /// segments may be all that is left of a store.
  private static func checkUnfinished(
    _ record: BackupRecord?, of store: StoreIdentifier, in directory: any Directory
  ) throws(LogError) {
    let names = try directory.names()
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

  /// Whether a backup may have put a file of that name there.
  static func isOurs(_ name: String) -> Bool {
    StoreDirectory.segmentIdentifier(of: name) != nil
      || StoreDirectory.runIdentifier(of: name) != nil
      || [
        StoreDirectory.newManifest, StoreDirectory.newCopy, StoreDirectory.backup,
        StoreDirectory.newBackup,
      ].map(\.description).contains(name)
  }

  /// Throws unless it is an earlier state of what `source` is a later one of.
  ///
  /// Sequences and segments alone do not tell: a store that was restored from an older backup goes
  /// a way of its own, and has as many of both after a while.
  func checkDescent(of source: BackupSource) throws(LogError) {
    let last = try lastSequence()
    guard last <= source.lastSequence else {
      throw refusal(
        "it holds a later state of the store than the one to be copied; give another directory")
    }
    guard source.isDurable else {
      throw refusal(
        "the last commits of the store could not be synchronized, so it may not have them when it "
          + "is opened again; close it and check its disk, or give another directory")
    }
    guard source.lineage.number != nil else {
      throw refusal(
        "\(StoreDirectory.backup) of the store itself is damaged, so nothing tells whether what "
          + "lies there is an earlier state of it; remove that file, and give another directory")
    }
    let fingerprint = BackupRecord.fingerprint(ofManifest: manifestBytes, of: manifest.store)
    guard source.lineage.includes(record, fingerprint: fingerprint),
      source.manifest.hasHad(manifest.sessions, upTo: last)
    else { throw parted }
    for descriptor in source.manifest.segments {
      guard let other = segments[descriptor.identifier] else { continue }
      let isSame =
        other.salt == descriptor.salt
        && (!other.isSealed
          || other.dataEnd == descriptor.dataEnd
            && other.closingHash == descriptor.closingHash)
      guard isSame else { throw parted }
    }
  }

  /// The last commit that it has. Where an index could not be read its manifest may know of fewer
  /// than its segment that was active has.
  private func lastSequence() throws(LogError) -> CommitSequence {
    guard let active = segments.values.first(where: { !$0.isSealed }) else {
      return manifest.lastSequence
    }
    do throws(LogError) {
      let found = try FoundSegment(active.identifier, in: directory)
      guard let header = found.header else { return manifest.lastSequence }
      let extent = try SegmentExtent(of: found, header, in: directory)
      return max(manifest.lastSequence, extent.lastSequence)
    } catch .fileIO {
      // What cannot be read tells nothing; where it is to be replaced that is found again.
      return manifest.lastSequence
    }
  }

  /// Throws unless `file`, of which `byteCount` bytes are to take the place of the segment that was
  /// active here, begins with all of its bytes.
  func check(
    _ file: any File, takesPlaceOf descriptor: SegmentDescriptor, byteCount: UInt64
  ) throws(LogError) {
    guard let mine = segments[descriptor.identifier], !mine.isSealed else { return }
    let name = StoreDirectory.segment(descriptor.identifier)
    let difference: UInt64?
    do throws(FileIOError) {
      difference = try Self.difference(
        of: FileWindow(directory.open(name, .read)), from: FileWindow(file), byteCount)
    } catch {
      // Without it nothing is lost that the new one lacks.
      if error.reason == .notFound { return }
      throw .fileIO(error)
    }
    guard let difference else { return }
    throw refusal(
      "its \(name) and that of the store differ behind offset \(difference), where they should be "
        + "the same: verify both, and give another directory")
  }

  /// Where the bytes of `own` are not those of `new`, of which only `byteCount` count; nothing when
  /// all are the same.
  private static func difference(
    of own: FileWindow, from new: FileWindow, _ byteCount: UInt64
  ) throws(FileIOError) -> UInt64? {
    var offset: UInt64 = 0
    while offset < own.fileByteCount {
      let expected = try own.bytes(at: offset, count: pieceByteCount)
      let found = try new.bytes(at: offset, count: expected.count)
      let end = offset + UInt64(expected.count)
      guard end > offset, end <= byteCount, expected.elementsEqual(found) else { return offset }
      offset = end
    }
    return nil
  }

  private var parted: LogError {
    refusal(
      "the store was restored from an older backup, set back by its files, or is another copy that "
        + "was written to, and what lies there has gone a way of its own; give another directory")
  }

  private func refusal(_ reason: String) -> LogError { Self.refusal(directory, reason) }

  static func refusal(_ directory: any Directory, _ reason: String) -> LogError {
    .copyRefused(path: directory.path, reason: reason)
  }
}
