internal import FileIO

extension Segment {
  /// Whether `file` begins with this segment's header, and has its footer's frame where the records
  /// end as `descriptor` says, without a look at what lies between.
  ///
  /// It is this very segment then: the header names the store and the salt, under which the frame
  /// verifies, and that names the last one of the chain. That no byte rotted it does not tell.
  func isFramed(_ file: any File, as descriptor: SegmentDescriptor) throws(LogError) -> Bool {
    _ = try checkedHeader(of: file)
    do throws(FileIOError) {
      guard let footer = try FrameHeader.read(from: file, at: descriptor.dataEnd, salt: salt)
      else { return false }
      return footer.flags == [.footer] && footer.previousHash == descriptor.closingHash
    } catch { throw .fileIO(error) }
  }
}
