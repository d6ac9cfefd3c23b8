internal import BinaryCoding
internal import FileIO

extension Segment {
  /// Whether `file` begins with this segment's header, and has its footer, intact, where the
  /// records end as `descriptor` of `manifest` says, and behind that only what is to be there,
  /// without a look at what lies between.
  ///
  /// It is this very segment then: the header names the store and the salt, under which the footer
  /// verifies, and its frame names the last one of the chain. That no record rotted it does not
  /// tell. All behind the records is read: it may have been copied though it did not verify.
  func isFramed(
    _ file: any File, as descriptor: SegmentDescriptor, of manifest: Manifest
  ) throws(LogError) -> Bool {
    let header = try checkedHeader(of: file).header
    let damage = try endDamage(
      in: file, as: descriptor, of: manifest, formatVersion: header.formatVersion)
    return damage == nil
  }

  /// What is wrong with what lies behind the records in `file`, whose header has `formatVersion`:
  /// the footer, but for what its keys are, and the copy of a manifest.
  func endDamage(
    in file: any File, as descriptor: SegmentDescriptor, of manifest: Manifest,
    formatVersion: UInt16
  ) throws(LogError) -> String? {
    if let reason = try footerFrameDamage(in: file, as: descriptor) { return reason }
    // The last output of the newest publication carries a copy; it is the newest listed one.
    let newest = manifest.segments.last { $0.stream == .compaction }
    let mustCarryCopy =
      newest?.identifier == descriptor.identifier && formatVersion >= FormatVersion.leavesCopies
    return try copyDamage(in: file, as: descriptor, mustCarryCopy: mustCarryCopy)
  }

  /// What is wrong with what follows the footer: nothing, or in compaction output a manifest.
  private func copyDamage(
    in file: any File, as descriptor: SegmentDescriptor, mustCarryCopy: Bool
  ) throws(LogError) -> String? {
    let size: UInt64
    let end: UInt64
    do throws(FileIOError) {
      size = try file.size()
      end = try ManifestCopy.footerEnd(of: descriptor, file: file) ?? size
    } catch { throw .fileIO(error) }
    if end == size {
      return mustCarryCopy ? "the copy of the manifest behind the footer is missing" : nil
    }
    if stream == .compaction,
      case .copy(_, offset: end) = try ManifestCopy.read(from: file, salt: salt, name: name)
    {
      return nil
    }
    return "the \(size) bytes of the file do not end with the footer, at \(end)"
  }

  /// What is wrong with the footer's frame in `file`, or with the bytes that it is around; nothing
  /// where they have their checksums.
  private func footerFrameDamage(
    in file: any File, as descriptor: SegmentDescriptor
  ) throws(LogError) -> String? {
    do throws(FileIOError) {
      let head = try FileWindow(file)
      defer { withExtendedLifetime(head) {} }
      let bytes = try head.bytes(at: descriptor.dataEnd, count: FrameHeader.longByteCount)
      guard
        let header = FrameHeader(decoding: bytes, salt: salt, offset: descriptor.dataEnd),
        header.flags == [.footer], header.previousHash == descriptor.closingHash
      else { return "the footer's frame does not verify" }
      let padded = Int(header.paddedLength) - FrameHeader.longByteCount
      let body = try head.bytes(
        at: descriptor.dataEnd + UInt64(FrameHeader.longByteCount), count: padded)
      guard body.count == padded,
        Checksum.xxh64(
          UnsafeRawBufferPointer(rebasing: body[..<header.bodyByteCount]), seed: salt)
          == header.bodyChecksum,
        body[header.bodyByteCount...].allSatisfy({ $0 == 0 })
      else { return "the footer does not match its checksum" }
    } catch { throw .fileIO(error) }
    return nil
  }
}
