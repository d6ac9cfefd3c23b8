internal import BinaryCoding

extension Segment {
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
