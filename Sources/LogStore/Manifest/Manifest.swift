internal import BinaryCoding

/// Which segments make up a store, and what they hold: the only truth about that.
///
///     offset  size  field
///          0     8  magic             "LOGSTMAN"
///          8     2  format version
///         10     2  reader minimum
///         12     4  compatible flags
///         16     4  read-only flags
///         20     4  incompatible flags
///         24    16  store identifier
///         40     8  body byte count
///         48     .  body: generation, next segment, last sequence, durable sequence, active
///                   segment or 0, last user segment or 0, its closing hash (8 bytes),
///                   segment count, then each segment
///          .     4  checksum          CRC-32C of all before
///
/// Numbers in the body are variable length unless a size is given. A segment is: identifier, stream
/// (1 byte), salt (8 bytes), data end, closing hash (8 bytes), minimum and maximum sequence, record
/// count, tombstone count, number of live totals, and for each: collection, schema version,
/// records, bytes.
///
/// A store with merged runs has version 2. Its body ends with the number of runs, then each run:
/// identifier, salt (8 bytes), byte count, key count, number of segments, and their identifiers.
///
/// A store with dictionaries has version 4. Its body always has the runs, and ends, for each
/// segment, with the number of dictionaries that its records need, and for each: identifier,
/// records, their bytes before and after compression.
///
/// A store with merged runs of ranges has version 6. Each run has, behind its key count, 1 byte of
/// flags, 1 for a lower bound and 2 for an upper one, and for each bound: collection, length, key.
/// Behind the runs 1 byte says whether there are dictionaries, and what version 4 adds follows
/// where it is 1.
///
/// A store that says between which keys those of its indexes lie has version 8. That byte is then
/// of flags, 1 for dictionaries and 2 for short headers of frames. Its body ends, for each segment
/// and then for each run, with 1 byte, 1 where that is known, and then: collection of the first
/// key, its head (8 bytes), what the collection of the last key is more, its head (8 bytes).
///
/// A store that a writer has opened which knew of it has version 9. Its body has what version 8
/// has, and ends with the number of sessions, 1 to 256, then each: identifier (8 bytes), how many
/// commits it began behind the one before.
struct Manifest: Equatable, Sendable {
  var store: StoreIdentifier
  /// Unknown ones are kept when the manifest is replaced.
  var compatibleFlags: UInt32 = 0
  /// With any set, this version may only read the store.
  var readOnlyFlags: UInt32 = 0
  /// Counts the manifests of a store.
  var generation: UInt64 = 0
  /// Identifiers below this one may have been used; unknown files below it are leftovers.
  var nextSegment: UInt32 = 1
  /// The statistics are exact as of this record; later ones are in the active segment.
  var lastSequence = CommitSequence.zero
  /// Everything up to here was synchronized when the manifest was written.
  var durableSequence = CommitSequence.zero
  var activeSegment: SegmentIdentifier?
  /// The user segment that the next one follows, and its closing hash.
  var lastUserSegment: UInt32 = 0
  var lastUserHash: UInt64 = 0
  var segments: [SegmentDescriptor] = []
  /// Indexes of several segments each; derived, so one that is damaged or missing loses nothing.
  var runs: [RunDescriptor] = []
  /// Whether the catalog may hold dictionaries and records may need them.
  var usesDictionaries = false
  /// Whether small commits may have short headers.
  var usesShortFrames = false
  /// The last writers, the newest at the end; see ``hasHad(_:upTo:)``.
  var sessions: [WriterSession] = []

  static let magic: UInt64 = 0x4E41_4D54_5347_4F4C  // "LOGSTMAN"
  static let headByteCount = 48

  /// The bytes of the manifest; the same contents give the same bytes.
  func encode() -> [UInt8] {
    var body = ByteWriter(capacity: 64 + segments.count * 96)
    body.writeVariableLength(generation)
    body.writeVariableLength(UInt64(nextSegment))
    body.writeVariableLength(lastSequence.rawValue)
    body.writeVariableLength(durableSequence.rawValue)
    body.writeVariableLength(UInt64(activeSegment?.rawValue ?? 0))
    body.writeVariableLength(UInt64(lastUserSegment))
    body.writeInteger(lastUserHash)
    body.writeVariableLength(UInt64(segments.count))
    for segment in segments { Self.encode(segment, to: &body) }
    let version = formatVersion
    if version >= FormatVersion.withRuns {
      body.writeVariableLength(UInt64(runs.count))
      for run in runs { Self.encode(run, version, to: &body) }
    }
    if version >= FormatVersion.withRanges { body.writeByte(flags(version)) }
    if usesDictionaries {
      for segment in segments { Self.encode(segment.dictionaryUses, to: &body) }
    }
    if version >= FormatVersion.withHeads {
      for heads in segments.map(\.heads) + runs.map(\.heads) { Self.encode(heads, to: &body) }
    }
    if version >= FormatVersion.withSessions { encodeSessions(to: &body) }
    var writer = ByteWriter(capacity: Self.headByteCount + body.count + 4)
    writer.writeInteger(Self.magic)
    writer.writeInteger(version)
    writer.writeInteger(version)
    writer.writeInteger(compatibleFlags)
    writer.writeInteger(readOnlyFlags)
    writer.writeInteger(UInt32(0))
    writer.writeInteger(store.low)
    writer.writeInteger(store.high)
    writer.writeInteger(UInt64(body.count))
    writer.writeBytes(body.bytes)
    writer.writeInteger(Checksum.crc32c(writer.bytes))
    return writer.array()
  }

  /// The oldest that can say it, and whose readers understand all segments.
  private var formatVersion: UInt16 {
    if !sessions.isEmpty { return FormatVersion.withSessions }
    if segments.contains(where: { $0.heads != nil }) || runs.contains(where: { $0.heads != nil }) {
      return FormatVersion.withHeads
    }
    if usesShortFrames { return FormatVersion.withShortFrames }
    if runs.contains(where: { !$0.bounds.isAll }) { return FormatVersion.withRanges }
    if usesDictionaries { return FormatVersion.withDictionaries }
    return runs.isEmpty ? FormatVersion.first : FormatVersion.withRuns
  }

  private static func encode(_ segment: SegmentDescriptor, to body: inout ByteWriter) {
    body.writeVariableLength(UInt64(segment.identifier.rawValue))
    body.writeByte(segment.stream.rawValue)
    body.writeInteger(segment.salt)
    body.writeVariableLength(segment.dataEnd)
    body.writeInteger(segment.closingHash)
    body.writeVariableLength(segment.minimumSequence.rawValue)
    body.writeVariableLength(segment.maximumSequence.rawValue)
    body.writeVariableLength(segment.recordCount)
    body.writeVariableLength(segment.tombstoneCount)
    let live = segment.live.sorted
    body.writeVariableLength(UInt64(live.count))
    for (version, totals) in live {
      body.writeVariableLength(UInt64(version.collection.rawValue))
      body.writeVariableLength(version.schemaVersion)
      body.writeVariableLength(totals.recordCount)
      body.writeVariableLength(totals.byteCount)
    }
  }

  private static func encode(_ uses: DictionaryUses, to body: inout ByteWriter) {
    body.writeVariableLength(UInt64(uses.uses.count))
    for (dictionary, use) in uses.sorted {
      body.writeVariableLength(UInt64(dictionary))
      body.writeVariableLength(use.recordCount)
      body.writeVariableLength(use.rawByteCount)
      body.writeVariableLength(use.storedByteCount)
    }
  }

  private static func encode(
    _ run: RunDescriptor, _ version: UInt16, to body: inout ByteWriter
  ) {
    body.writeVariableLength(UInt64(run.identifier.rawValue))
    body.writeInteger(run.salt)
    body.writeVariableLength(run.byteCount)
    body.writeVariableLength(run.keyCount)
    if version >= FormatVersion.withRanges { encode(run.bounds, to: &body) }
    body.writeVariableLength(UInt64(run.segments.count))
    for segment in run.segments { body.writeVariableLength(UInt64(segment.rawValue)) }
  }
}
