internal import BinaryCoding
internal import FileIO

/// The user segments that compaction and repairs have replaced, in the file `REPLACED`: they show
/// that a backup which has nothing else in common with the store is an earlier state of it.
///
///     offset  size  field
///          0     8  magic             "LOGSTREP"
///          8     2  format version    1
///         10     2  reader minimum    1
///         12     4  count
///         16    16  store identifier
///         32     .  segments          identifier (4 bytes), salt, closing hash, end (8 bytes each)
///          .     4  checksum          CRC-32C of all before
///
/// Nothing but the next backup depends on it, and that is refused where it does not tell. It is
/// written before the manifest that lists them no more but for the first time, so it may name some
/// that are there.
struct ReplacedSegments: Equatable, Sendable {
  /// In the order in which they were replaced.
  private(set) var segments: [ReplacedSegment] = []
  /// Whether there is a file that does not verify.
  private(set) var isDamaged = false

  /// The oldest go: a backup that is older than so many segments cannot be told from another's.
  static let countMaximum = 4096

  private static let magic: UInt64 = 0x5045_5254_5347_4F4C  // "LOGSTREP"
  private static let version: UInt16 = 1
  private static let headByteCount = 32
  private static let segmentByteCount = 28

  /// Notes some, in place of what was noted of the same, where as much is known of them.
  mutating func note(_ newer: [ReplacedSegment]) {
    let newer = newer.filter { segment in
      segment.salt != 0 || !segments.contains { $0.identifier == segment.identifier }
    }
    let identifiers = Set(newer.map(\.identifier))
    segments.removeAll { identifiers.contains($0.identifier) }
    segments.append(contentsOf: newer)
    segments.removeFirst(max(0, segments.count - Self.countMaximum))
  }

  // MARK: On disk

  func encode(of store: StoreIdentifier) -> [UInt8] {
    var writer = ByteWriter(
      capacity: Self.headByteCount + segments.count * Self.segmentByteCount + 4)
    writer.writeInteger(Self.magic)
    writer.writeInteger(Self.version)
    writer.writeInteger(Self.version)
    writer.writeInteger(UInt32(segments.count))
    writer.writeInteger(store.low)
    writer.writeInteger(store.high)
    for segment in segments {
      writer.writeInteger(segment.identifier.rawValue)
      writer.writeInteger(segment.salt)
      writer.writeInteger(segment.closingHash)
      writer.writeInteger(segment.end.rawValue)
    }
    writer.writeInteger(Checksum.crc32c(writer.bytes))
    return writer.array()
  }

  /// What the bytes of a file say; those of another store say nothing of this one.
  static func decode(
    _ bytes: UnsafeRawBufferPointer, of store: StoreIdentifier
  ) throws(BinaryDecodingError) -> Self {
    var reader = ByteReader(bytes)
    let (magic, version, minimum, count): (UInt64, UInt16, UInt16, UInt32) = try (
      reader.readInteger(), reader.readInteger(), reader.readInteger(), reader.readInteger()
    )
    guard magic == Self.magic, version >= minimum, minimum == Self.version,
      count <= countMaximum,
      bytes.count == headByteCount + Int(count) * segmentByteCount + 4
    else {
      throw .invalidValue(offset: 0, reason: "no list of segments that this version knows")
    }
    let owner = StoreIdentifier(low: try reader.readInteger(), high: try reader.readInteger())
    var found = Self()
    for _ in 0..<count {
      found.segments.append(
        ReplacedSegment(
          identifier: SegmentIdentifier(try reader.readInteger()),
          salt: try reader.readInteger(), closingHash: try reader.readInteger(),
          end: CommitSequence(try reader.readInteger())))
    }
    let covered = UnsafeRawBufferPointer(rebasing: bytes[..<reader.offset])
    let checksum: UInt32 = try reader.readInteger()
    guard checksum == Checksum.crc32c(covered), owner == store else {
      throw .invalidValue(offset: covered.count, reason: "the checksum or the store do not match")
    }
    return found
  }

  /// What was noted of the store in `directory`; nothing where nothing was. Of a file that does not
  /// verify only that it is there.
  static func read(
    in directory: any Directory, of store: StoreIdentifier
  ) throws(LogError) -> Self? {
    do throws(LogError) { return try checked(in: directory, of: store) } catch {
      guard error.damage != nil else { throw error }
      var damaged = Self()
      damaged.isDamaged = true
      return damaged
    }
  }

  /// The same; throws ``LogError/corruption(_:)`` when the file does not verify.
  static func checked(
    in directory: any Directory, of store: StoreIdentifier
  ) throws(LogError) -> Self? {
    let name = StoreDirectory.replaced
    let file: any File
    do throws(FileIOError) { file = try directory.open(name, .read) } catch {
      if error.reason == .notFound { return nil }
      throw .fileIO(error)
    }
    let limit = headByteCount + countMaximum * segmentByteCount + 4
    let bytes = try FileReading.all(of: file, limit: UInt64(limit), name: name)
    do throws(BinaryDecodingError) {
      return try bytes.withBytes { (bytes: UnsafeRawBufferPointer) throws(BinaryDecodingError) in
        try decode(bytes, of: store)
      }
    } catch {
      throw .corruption(CorruptionReport(file: name.description, offset: 0, reason: "\(error)"))
    }
  }

  /// Puts the list in place; durable with the next synchronization of the directory.
  func write(in directory: any Directory, of store: StoreIdentifier) throws(FileIOError) {
    do throws(FileIOError) { try directory.remove(StoreDirectory.newReplaced) } catch {
      if error.reason != .notFound { throw error }
    }
    let file = try directory.open(StoreDirectory.newReplaced, .createNew)
    do throws(FileIOError) {
      try encode(of: store).withBytes { (bytes: UnsafeRawBufferPointer) throws(FileIOError) in
        try file.write([bytes], at: 0)
      }
      try file.synchronize()
      try directory.rename(StoreDirectory.newReplaced, to: StoreDirectory.replaced)
    } catch {
      // On a full disk the half of it would be missed.
      do throws(FileIOError) { try directory.remove(StoreDirectory.newReplaced) } catch {}
      throw error
    }
  }
}
