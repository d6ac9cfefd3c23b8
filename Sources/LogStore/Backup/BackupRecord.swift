internal import BinaryCoding
internal import FileIO

/// What a backup says of itself in the file `BACKUP`, so that the next one replaces nothing else.
///
///     offset  size  field
///          0     8  magic             "LOGSTBAK"
///          8     2  format version    2
///         10     2  reader minimum    2
///         12     4  flags             1: the first backup to this place is not finished;
///                                     2: it is, and had damaged parts; 3: it is not finished, and
///                                     what lies there verified when it was copied
///         16    16  store identifier
///         32     8  fingerprint       of the manifest before, or of the next when there was none
///         40     8  fingerprint       of the manifest that is about to be put in place
///         48     8  lineage           of what was copied, see ``Lineage``
///         56     8  lineage           of what is written here from now on
///         64     8  fingerprint       of the manifest of what was copied
///         72     4  checksum          CRC-32C of all before
///
/// Whoever writes to a backup replaces its manifest, which then matches neither fingerprint. It is
/// written before the manifest is replaced, and names both, so that a crash between is harmless.
///
/// Version 1 had no lineages: its checksum stands at 48.
struct BackupRecord: Equatable {
  let store: StoreIdentifier
  /// Whether what lies there is what an interrupted first backup left.
  var isUnfinished: Bool
  /// Whether, while it is unfinished, each segment that lies there verified when it was copied,
  /// down to its index. Versions that do not know of that read that it is unfinished.
  var isProven = false
  /// Whether all of it was there, and parts of it damaged, when it was finished.
  var isDamaged = false
  /// Whether a part of what it says that it kept may not have verified.
  var isDoubtful: Bool { isUnfinished && !isProven || isDamaged }
  /// Whether it comes from version 1, when what was copied was not verified.
  var isOfFirstVersion: Bool { ownLineage == fingerprints[1] && source == ownLineage }
  /// XXH64 of the manifests that backups have put there.
  let fingerprints: [UInt64]
  /// The lineage of what lies there, as long as nobody writes to it.
  let lineage: UInt64
  /// That of what is written there.
  let ownLineage: UInt64
  /// The fingerprint of the manifest of what was copied, where that is known.
  let source: UInt64?

  private static let magic: UInt64 = 0x4B41_4254_5347_4F4C  // "LOGSTBAK"
  private static let version: UInt16 = 2
  private static let firstVersion: UInt16 = 1
  private static let byteCount = 76

  /// Before `next` takes the place of what an earlier backup left: a manifest's file with the bytes
  /// `earlier`. `lineage` is that of what is copied, and `source` its manifest's fingerprint;
  /// `random` is for what will be written to the copy.
  init(
    of next: Manifest, after earlier: [UInt8]?, lineage: UInt64, source: UInt64?, random: UInt64
  ) {
    store = next.store
    isUnfinished = earlier == nil
    let encoded = next.encode()
    fingerprints = [earlier ?? encoded, encoded].map {
      Self.fingerprint(ofManifest: $0, of: next.store)
    }
    self.lineage = lineage
    ownLineage = random
    self.source = source
  }

  /// Of a store that was saved out of a damaged one: no backup may take it for that one.
  init(ofSalvaged store: StoreIdentifier, random: UInt64) {
    self.init(
      store: store, isUnfinished: false, fingerprints: [0, 0], lineage: random,
      ownLineage: random, source: nil)
  }

  private init(
    store: StoreIdentifier, isUnfinished: Bool, isProven: Bool = false, isDamaged: Bool = false,
    fingerprints: [UInt64], lineage: UInt64, ownLineage: UInt64, source: UInt64?
  ) {
    self.store = store
    self.isUnfinished = isUnfinished
    self.isProven = isProven
    self.isDamaged = isDamaged
    self.fingerprints = fingerprints
    self.lineage = lineage
    self.ownLineage = ownLineage
    self.source = source
  }

  /// Whether a backup has put the manifest there whose file has these bytes.
  func describes(manifestBytes bytes: [UInt8]) -> Bool {
    fingerprints.contains(Self.fingerprint(ofManifest: bytes, of: store))
  }

  /// Of the bytes as they lie there: a later version may encode the same manifest in others.
  static func fingerprint(ofManifest bytes: [UInt8], of store: StoreIdentifier) -> UInt64 {
    bytes.withBytes { Checksum.xxh64($0, seed: store.checksumSeed) }
  }

  // MARK: On disk

  private static let unfinishedFlag: UInt32 = 1
  private static let damagedFlag: UInt32 = 2
  /// What is not finished had no damaged parts yet, so that the two say something else together.
  private static let provenFlags = unfinishedFlag | damagedFlag

  private var flags: UInt32 {
    if isUnfinished { return isProven ? Self.provenFlags : Self.unfinishedFlag }
    return isDamaged ? Self.damagedFlag : 0
  }

  private func encode() -> [UInt8] {
    var writer = ByteWriter(capacity: Self.byteCount)
    writer.writeInteger(Self.magic)
    writer.writeInteger(Self.version)
    writer.writeInteger(Self.version)
    writer.writeInteger(flags)
    writer.writeInteger(store.low)
    writer.writeInteger(store.high)
    for number in fingerprints + [lineage, ownLineage, source ?? 0] { writer.writeInteger(number) }
    writer.writeInteger(Checksum.crc32c(writer.bytes))
    return writer.array()
  }

  private static func decode(_ bytes: UnsafeRawBufferPointer) throws(BinaryDecodingError) -> Self {
    var reader = ByteReader(bytes)
    let (magic, version, minimum, flags): (UInt64, UInt16, UInt16, UInt32) = try (
      reader.readInteger(), reader.readInteger(), reader.readInteger(), reader.readInteger()
    )
    guard magic == Self.magic, (firstVersion...Self.version).contains(version), minimum == version,
      flags <= provenFlags
    else {
      throw .invalidValue(offset: 0, reason: "no record of a backup that this version knows")
    }
    let store = StoreIdentifier(low: try reader.readInteger(), high: try reader.readInteger())
    let fingerprints: [UInt64] = [try reader.readInteger(), try reader.readInteger()]
    // A copy that an earlier version made began with the very manifest that it was made of.
    var (lineage, ownLineage, source): (UInt64, UInt64, UInt64) = (
      0, fingerprints[1], fingerprints[1]
    )
    if version > firstVersion {
      (lineage, ownLineage, source) = try (
        reader.readInteger(), reader.readInteger(), reader.readInteger()
      )
    }
    let covered = UnsafeRawBufferPointer(rebasing: bytes[..<reader.offset])
    let checksum: UInt32 = try reader.readInteger()
    try reader.expectEnd()
    guard checksum == Checksum.crc32c(covered) else {
      throw .invalidValue(offset: covered.count, reason: "the checksum does not match")
    }
    return Self(
      store: store, isUnfinished: flags & unfinishedFlag != 0, isProven: flags == provenFlags,
      isDamaged: flags == damagedFlag, fingerprints: fingerprints, lineage: lineage,
      ownLineage: ownLineage, source: source == 0 ? nil : source)
  }

  /// The record of the backup in `directory`; nothing when there is none.
  ///
  /// - Throws: ``LogError/corruption(_:)`` when it does not verify, ``LogError/fileIO(_:)``.
  static func read(in directory: any Directory) throws(LogError) -> Self? {
    let name = StoreDirectory.backup
    let file: any File
    do throws(FileIOError) { file = try directory.open(name, .read) } catch {
      if error.reason == .notFound { return nil }
      throw .fileIO(error)
    }
    let bytes = try FileReading.all(of: file, limit: UInt64(byteCount), name: name)
    do throws(BinaryDecodingError) {
      return try bytes.withBytes { (bytes: UnsafeRawBufferPointer) throws(BinaryDecodingError) in
        try decode(bytes)
      }
    } catch {
      throw .corruption(
        CorruptionReport(file: name.description, offset: 0, reason: "\(error)"))
    }
  }

  /// Puts the record in place; durable on return, and so is what was renamed before.
  func write(in directory: any Directory) throws(FileIOError) {
    do throws(FileIOError) { try directory.remove(StoreDirectory.newBackup) } catch {
      if error.reason != .notFound { throw error }
    }
    let file = try directory.open(StoreDirectory.newBackup, .createNew)
    try encode().withBytes { (bytes: UnsafeRawBufferPointer) throws(FileIOError) in
      try file.write([bytes], at: 0)
    }
    try file.synchronize()
    try directory.rename(StoreDirectory.newBackup, to: StoreDirectory.backup)
    try directory.synchronize()
  }
}
