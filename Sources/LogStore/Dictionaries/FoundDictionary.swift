internal import BinaryCoding

/// A dictionary of which some copies were read.
struct FoundDictionary {
  let dictionary: CompressionDictionary
  let copies: UInt8

  init(dictionary: CompressionDictionary, copies: UInt8) {
    self.dictionary = dictionary
    self.copies = copies
  }

  /// What a verified record of the catalog says, if it is a dictionary.
  init?(_ record: RecordDecoder.Decoded) throws(BinaryDecodingError) {
    guard record.header.kind == .put,
      let (identifier, copy) = CompressionDictionary.identifier(ofKey: record.key)
    else { return nil }
    let payload = try RecordDecoder.payload(of: record, against: .empty)
    dictionary = try payload.withBytes {
      (bytes: UnsafeRawBufferPointer) throws(BinaryDecodingError) in
      try CompressionDictionary.decode(identifier, bytes)
    }
    copies = 1 << copy
  }
}
