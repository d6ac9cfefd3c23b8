internal import BinaryCoding
internal import FileIO

/// A copy of the manifest in the log itself: behind the footer of a compaction's last output.
///
///     offset  size  field                  from the end of the footer's frame
///          0     .  manifest               the one that puts the outputs in the inputs' place
///          .     .  zeros                  to a multiple of 8
///          .     8  magic                  "LOGSTCPY"
///          .     8  manifest's byte count
///          .     4  zero
///          .     4  checksum               CRC-32C of salt, offset of the copy, all bytes before
///
/// It ends the file, so that it is found without reading the records. Segments tell by themselves
/// how commits follow each other, but not which segments a compaction has replaced: that is what
/// the copy is for. It is written when all that it names is durable, but for the name of the file
/// that carries it, so one that is found and verifies can be relied on whether its manifest came
/// into force or not.
enum ManifestCopy {
  private static let magic: UInt64 = 0x5950_4354_5347_4F4C  // "LOGSTCPY"
  private static let trailerByteCount = 24

  /// Writes a copy behind the footer of a finished output; the caller synchronizes the file.
  ///
  /// - Throws: ``LogError/fileIO(_:)``, also where the footer does not read back as it was written.
  static func write(
    _ manifest: Manifest, behindFooterOf segment: SegmentDescriptor, file: any File
  ) throws(LogError) {
    do throws(FileIOError) {
      guard let start = try footerEnd(of: segment, file: file) else {
        throw FileIOError(
          .ioError, operation: "read the footer back",
          path: StoreDirectory.segment(segment.identifier).description)
      }
      let bytes = encode(manifest, salt: segment.salt, at: start)
      try bytes.withBytes { (bytes: UnsafeRawBufferPointer) throws(FileIOError) in
        try file.write([bytes], at: start)
      }
      try file.truncate(to: start + UInt64(bytes.count))
    } catch { throw .fileIO(error) }
  }

  private static func encode(_ manifest: Manifest, salt: UInt64, at offset: UInt64) -> [UInt8] {
    let bytes = manifest.encode()
    let padded = Int(FrameHeader.padded(UInt64(bytes.count)))
    var writer = ByteWriter(capacity: padded + trailerByteCount)
    bytes.withBytes { writer.writeBytes($0) }
    writer.writeZeros(padded - bytes.count)
    writer.writeInteger(magic)
    writer.writeInteger(UInt64(bytes.count))
    writer.writeZeros(4)
    writer.writeInteger(checksum(writer.bytes, salt: salt, offset: offset))
    return writer.array()
  }

  /// What stands at the end of a segment's file.
  enum Found: Equatable {
    case copy(Manifest, offset: UInt64)
    /// No copy that verifies; a part of one may be there.
    case nothing
  }

  /// The copy at the end of a file whose header carries `salt`; bytes may be anything.
  ///
  /// - Throws: ``LogError/newerFormat(file:found:supported:)``, ``LogError/fileIO(_:)``.
  static func read(
    from file: any File, salt: UInt64, name: FileName
  ) throws(LogError) -> Found {
    let size: UInt64
    do throws(FileIOError) { size = try file.size() } catch { throw .fileIO(error) }
    let smallest = UInt64(SegmentHeader.byteCount + trailerByteCount)
    guard size >= smallest else { return .nothing }
    let trailer = try FileReading.exactly(
      trailerByteCount, of: file, at: size - UInt64(trailerByteCount), name: name)
    let count = trailer.withBytes { bytes -> UInt64? in
      func word(_ offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      }
      return word(0) == magic && word(8) <= LogLimits.manifestByteCount ? word(8) : nil
    }
    guard let count, FrameHeader.padded(count) <= size - smallest else { return .nothing }
    let length = FrameHeader.padded(count) + UInt64(trailerByteCount)
    let bytes = try FileReading.exactly(Int(length), of: file, at: size - length, name: name)
    return try bytes.withBytes { (bytes: UnsafeRawBufferPointer) throws(LogError) in
      try decode(bytes, count: Int(count), salt: salt, offset: size - length, name: name)
    }
  }

  private static func decode(
    _ bytes: UnsafeRawBufferPointer, count: Int, salt: UInt64, offset: UInt64, name: FileName
  ) throws(LogError) -> Found {
    let covered = UnsafeRawBufferPointer(rebasing: bytes.dropLast(4))
    let stored = bytes.loadUnaligned(fromByteOffset: covered.count, as: UInt32.self)
    guard checksum(covered, salt: salt, offset: offset) == UInt32(littleEndian: stored) else {
      return .nothing
    }
    do throws(LogError) {
      let manifest = UnsafeRawBufferPointer(rebasing: bytes[..<count])
      return .copy(try Manifest.decode(manifest, file: name.description), offset: offset)
    } catch .corruption { return .nothing }
  }

  private static func checksum(
    _ bytes: UnsafeRawBufferPointer, salt: UInt64, offset: UInt64
  ) -> UInt32 {
    Checksum.crc32c(
      bytes,
      continuing: Checksum.crc32c(of: offset, continuing: Checksum.crc32c(of: salt, continuing: 0)))
  }

  /// Where the footer of a sealed segment ends; nothing when its frame does not verify.
  static func footerEnd(
    of segment: SegmentDescriptor, file: any File
  ) throws(FileIOError) -> UInt64? {
    let header = try FrameHeader.read(from: file, at: segment.dataEnd, salt: segment.salt)
    return header.map { segment.dataEnd + $0.paddedLength }
  }
}
