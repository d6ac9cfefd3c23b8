internal import BinaryCoding
internal import LogStore
internal import SchemaRegistry

/// The records of the ledger: the version as eight big-endian bytes, and what was recorded of it.
enum LedgerCoding {
  static func key(of version: SchemaVersion) -> [UInt8] {
    withUnsafeBytes(of: version.rawValue.bigEndian) { Array($0) }
  }

  static func decode(_ payload: [UInt8], key: [UInt8]) throws(StoreError) -> RecordedVersion {
    try SchemaCatalog.checkFormat(payload, of: "ledgers", known: RecordedVersion.encodingFormat)
    let entry: RecordedVersion
    do throws(BinaryDecodingError) {
      entry = try payload.withBytes {
        (bytes: UnsafeRawBufferPointer) throws(BinaryDecodingError) in
        try RecordedVersion(decoding: bytes)
      }
    } catch { throw .malformedCatalog(reason: "the ledger is damaged: \(error)") }
    guard key == Self.key(of: entry.version) else {
      throw .malformedCatalog(
        reason: "version \(entry.version) lies under another version's key in the ledger")
    }
    return entry
  }
}
