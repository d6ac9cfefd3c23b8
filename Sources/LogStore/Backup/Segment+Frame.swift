internal import BinaryCoding
internal import FileIO

extension Segment {
  /// Whether `file` begins with this segment's header, and has its footer, intact, where the
  /// records end as `descriptor` says, without a look at what lies between.
  ///
  /// It is this very segment then: the header names the store and the salt, under which the footer
  /// verifies, and its frame names the last one of the chain. That no record rotted it does not
  /// tell. The footer is read whole: it may have been copied though it did not verify.
  func isFramed(_ file: any File, as descriptor: SegmentDescriptor) throws(LogError) -> Bool {
    _ = try checkedHeader(of: file)
    return try footerFrameDamage(in: file, as: descriptor) == nil
  }

  /// What is wrong with the footer's frame in `file`, or with the bytes that it is around; nothing
  /// where they have their checksums.
  func footerFrameDamage(
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
