internal import BinaryCoding

extension Manifest {
  /// Reads a manifest; bytes may be anything.
  static func decode(_ bytes: UnsafeRawBufferPointer, file: String) throws(LogError) -> Manifest {
    do throws(BinaryDecodingError) {
      let versions = try checkFrame(bytes)
      guard versions.readerMinimum <= FormatVersion.current, versions.incompatibleFlags == 0 else {
        throw BinaryDecodingError.invalidValue(offset: -1, reason: "newer")
      }
      return try decodeBody(bytes, format: versions.format)
    } catch .invalidValue(offset: -1, _) {
      let found = bytes.loadUnaligned(fromByteOffset: 8, as: UInt16.self)
      throw .newerFormat(
        file: file, found: Int(UInt16(littleEndian: found)), supported: Int(FormatVersion.current))
    } catch {
      throw .corruption(CorruptionReport(file: file, offset: 0, reason: "manifest: \(error)"))
    }
  }

  private static func checkFrame(
    _ bytes: UnsafeRawBufferPointer
  ) throws(BinaryDecodingError) -> (
    format: UInt16, readerMinimum: UInt16, incompatibleFlags: UInt32
  ) {
    var reader = ByteReader(bytes)
    guard try reader.readInteger(UInt64.self) == magic else {
      throw .invalidValue(offset: 0, reason: "the file does not start as a manifest")
    }
    guard bytes.count >= headByteCount + 4 else {
      throw .endOfBytes(
        offset: 0, needed: UInt64(headByteCount + 4), available: bytes.count)
    }
    let stored = UInt32(
      littleEndian: bytes.loadUnaligned(fromByteOffset: bytes.count - 4, as: UInt32.self))
    guard
      Checksum.crc32c(UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count - 4)])) == stored
    else { throw .invalidValue(offset: bytes.count - 4, reason: "the checksum does not match") }
    let format = try reader.readInteger(UInt16.self)
    let readerMinimum = try reader.readInteger(UInt16.self)
    _ = try reader.readInteger(UInt32.self)
    _ = try reader.readInteger(UInt32.self)
    return (format, readerMinimum, try reader.readInteger(UInt32.self))
  }

  private static func decodeBody(
    _ bytes: UnsafeRawBufferPointer, format: UInt16
  ) throws(BinaryDecodingError) -> Manifest {
    var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[12..<(bytes.count - 4)]))
    let compatibleFlags = try reader.readInteger(UInt32.self)
    let readOnlyFlags = try reader.readInteger(UInt32.self)
    _ = try reader.readInteger(UInt32.self)
    let low = try reader.readInteger(UInt64.self)
    let high = try reader.readInteger(UInt64.self)
    guard try reader.readInteger(UInt64.self) == UInt64(reader.remainingByteCount) else {
      throw .invalidValue(offset: 40, reason: "the body's length does not match the file's")
    }
    var manifest = Manifest(store: StoreIdentifier(low: low, high: high))
    manifest.compatibleFlags = compatibleFlags
    manifest.readOnlyFlags = readOnlyFlags
    manifest.generation = try reader.readVariableLength()
    manifest.nextSegment = try reader.readVariableLength(as: UInt32.self)
    manifest.lastSequence = CommitSequence(try reader.readVariableLength())
    manifest.durableSequence = CommitSequence(try reader.readVariableLength())
    let active = try reader.readVariableLength(as: UInt32.self)
    manifest.activeSegment = active == 0 ? nil : SegmentIdentifier(active)
    manifest.lastUserSegment = try reader.readVariableLength(as: UInt32.self)
    manifest.lastUserHash = try reader.readInteger(UInt64.self)
    let count = try reader.readVariableLength(as: Int.self)
    guard count <= min(LogLimits.segmentCount, reader.remainingByteCount) else {
      throw .invalidValue(offset: reader.offset, reason: "\(count) segments")
    }
    manifest.segments.reserveCapacity(count)
    for _ in 0..<count { manifest.segments.append(try decodeSegment(&reader)) }
    if format >= FormatVersion.withRuns {
      manifest.runs = try decodeRuns(&reader, format: format)
    }
    try manifest.decodeFlags(&reader, format: format)
    if manifest.usesDictionaries {
      for index in manifest.segments.indices {
        manifest.segments[index].dictionaryUses = try decodeUses(&reader)
      }
    }
    if format >= FormatVersion.withHeads {
      for index in manifest.segments.indices {
        manifest.segments[index].heads = try decodeHeads(&reader)
      }
      for index in manifest.runs.indices { manifest.runs[index].heads = try decodeHeads(&reader) }
    }
    if format >= FormatVersion.withSessions { try manifest.decodeSessions(&reader) }
    try reader.expectEnd()
    try manifest.checkRules()
    try manifest.checkRunRules()
    return manifest
  }

  private static func decodeSegment(
    _ reader: inout ByteReader
  ) throws(BinaryDecodingError) -> SegmentDescriptor {
    let identifier = SegmentIdentifier(try reader.readVariableLength(as: UInt32.self))
    guard let stream = SegmentStream(rawValue: try reader.readByte()) else {
      throw .invalidValue(offset: reader.offset, reason: "unknown stream")
    }
    var descriptor = SegmentDescriptor(
      identifier: identifier, stream: stream, salt: try reader.readInteger(UInt64.self),
      dataEnd: try reader.readVariableLength(), closingHash: try reader.readInteger(UInt64.self),
      minimumSequence: CommitSequence(try reader.readVariableLength()),
      maximumSequence: CommitSequence(try reader.readVariableLength()),
      recordCount: try reader.readVariableLength(),
      tombstoneCount: try reader.readVariableLength(), live: LiveTotals())
    let count = try reader.readVariableLength(as: Int.self)
    for _ in 0..<min(count, reader.remainingByteCount + 1) {
      guard let collection = CollectionIdentifier(exactly: try reader.readVariableLength()) else {
        throw .invalidValue(offset: reader.offset, reason: "collection above the limit")
      }
      let version = CollectionVersion(
        collection: collection, schemaVersion: try reader.readVariableLength())
      descriptor.live.add(
        version,
        RecordTotals(
          recordCount: try reader.readVariableLength(), byteCount: try reader.readVariableLength()))
    }
    return descriptor
  }

  private static func decodeUses(
    _ reader: inout ByteReader
  ) throws(BinaryDecodingError) -> DictionaryUses {
    var uses = DictionaryUses()
    let count = try reader.readVariableLength(as: Int.self)
    for _ in 0..<min(count, reader.remainingByteCount + 1) {
      let dictionary = try reader.readVariableLength(as: UInt32.self)
      uses.add(
        dictionary,
        DictionaryUse(
          recordCount: try reader.readVariableLength(),
          rawByteCount: try reader.readVariableLength(),
          storedByteCount: try reader.readVariableLength()))
    }
    return uses
  }

  /// Rules that hold between fields, so that later code can rely on them.
  private func checkRules() throws(BinaryDecodingError) {
    guard generation < LogLimits.sequence, nextSegment > 0,
      nextSegment < LogLimits.segmentIdentifier, lastSequence.rawValue < LogLimits.sequence,
      durableSequence <= lastSequence
    else { throw .invalidValue(offset: 0, reason: "a number is above its limit") }
    let repeated = Self.firstRepeated(segments.map(\.identifier))
    for segment in segments {
      guard segment.identifier.rawValue > 0, segment.identifier.rawValue < nextSegment,
        segment.identifier != repeated
      else { throw .invalidValue(offset: 0, reason: "segment \(segment.identifier) is misplaced") }
      guard segment.isSealed != (segment.identifier == activeSegment),
        segment.dataEnd <= LogLimits.segmentByteCount
      else { throw .invalidValue(offset: 0, reason: "segment \(segment.identifier) has no end") }
      guard segment.isSealed || segment.heads == nil, segment.heads?.isEmpty != true else {
        throw .invalidValue(offset: 0, reason: "segment \(segment.identifier) has no such keys")
      }
      guard segment.isSealed || segment.stream == .user else {
        throw .invalidValue(offset: 0, reason: "segment \(segment.identifier) cannot be active")
      }
      guard segment.minimumSequence <= segment.maximumSequence,
        segment.maximumSequence <= lastSequence, hasPossibleTotals(segment)
      else { throw .invalidValue(offset: 0, reason: "segment \(segment.identifier) miscounts") }
    }
    if let activeSegment, !segments.contains(where: { $0.identifier == activeSegment }) {
      throw .invalidValue(offset: 0, reason: "the active segment is not listed")
    }
  }

  /// No segment has more records than bytes, so sums over all segments cannot overflow.
  private func hasPossibleTotals(_ segment: SegmentDescriptor) -> Bool {
    let limit = LogLimits.segmentByteCount
    return segment.recordCount <= limit && segment.tombstoneCount <= limit
      && segment.live.versions.entries.allSatisfy {
        $0.value.recordCount <= limit && $0.value.byteCount <= limit
      }
      && segment.dictionaryUses.uses.entries.allSatisfy { $0.value.storedByteCount <= limit }
  }
}
