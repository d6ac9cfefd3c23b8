internal import BinaryCoding

extension Segment {
  /// Throws when no record can lie where an index says that one does.
  func check(_ value: IndexValue) throws(LogError) {
    let start = UInt64(value.offset)
    if let dataEnd, start + UInt64(value.length) > dataEnd {
      throw damage(at: start, "the index points behind the records")
    }
    guard value.length <= UInt32(RecordHeader.recordByteCountMaximum) else {
      throw damage(at: start, "the index gives a record a length of \(value.length)")
    }
  }

  /// The payload of a verified record at `offset`, decompressed.
  func payload(
    of record: RecordDecoder.Decoded, at offset: UInt32
  ) throws(LogError) -> [UInt8] {
    let dictionary = try dictionaries.lent(for: record.header, in: name, at: offset)
    do throws(BinaryDecodingError) {
      return try RecordDecoder.payload(of: record, against: dictionary)
    } catch { throw damage(at: UInt64(offset), "\(error)") }
  }

  /// The same, decompressed into `scratch`.
  func payload(
    of record: RecordDecoder.Decoded, at offset: UInt32, decompressedInto scratch: inout ByteWriter
  ) throws(LogError) -> UnsafeRawBufferPointer {
    let dictionary = try dictionaries.lent(for: record.header, in: name, at: offset)
    do throws(BinaryDecodingError) {
      return try RecordDecoder.payload(
        of: record, against: dictionary, decompressedInto: &scratch)
    } catch { throw damage(at: UInt64(offset), "\(error)") }
  }
}
