internal import BinaryCoding

/// What a manifest of a newer format says besides, and its flags; bytes may be anything.
extension Manifest {
  private static let dictionariesFlag: UInt8 = 1
  private static let shortFramesFlag: UInt8 = 2

  /// The byte behind the runs.
  func flags(_ version: UInt16) -> UInt8 {
    let hasShortFrames = usesShortFrames && version >= FormatVersion.withHeads
    return (usesDictionaries ? Self.dictionariesFlag : 0)
      | (hasShortFrames ? Self.shortFramesFlag : 0)
  }

  /// Reads that byte, and takes from the version what it says of older formats.
  mutating func decodeFlags(
    _ reader: inout ByteReader, format: UInt16
  ) throws(BinaryDecodingError) {
    usesShortFrames = format == FormatVersion.withShortFrames
    guard format >= FormatVersion.withRanges else {
      usesDictionaries = format >= FormatVersion.withDictionaries
      return
    }
    let flags = try reader.readByte()
    let known = format >= FormatVersion.withHeads ? Self.shortFramesFlag : 0
    guard flags & ~(Self.dictionariesFlag | known) == 0 else {
      throw .invalidValue(offset: reader.offset, reason: "unknown flags \(flags)")
    }
    usesDictionaries = flags & Self.dictionariesFlag != 0
    if flags & Self.shortFramesFlag != 0 { usesShortFrames = true }
  }

  /// Makes it one that older formats can say.
  mutating func forgetHeads() {
    for index in segments.indices { segments[index].heads = nil }
    for index in runs.indices { runs[index].heads = nil }
  }

  static func encode(_ heads: KeyHeads?, to body: inout ByteWriter) {
    body.writeByte(heads == nil ? 0 : 1)
    guard let heads else { return }
    body.writeVariableLength(UInt64(heads.first.collection))
    body.writeInteger(heads.first.head)
    body.writeVariableLength(UInt64(heads.last.collection &- heads.first.collection))
    body.writeInteger(heads.last.head)
  }

  static func decodeHeads(
    _ reader: inout ByteReader
  ) throws(BinaryDecodingError) -> KeyHeads? {
    let isKnown = try reader.readByte()
    guard isKnown <= 1 else {
      throw .invalidValue(offset: reader.offset, reason: "heads of keys: \(isKnown)")
    }
    guard isKnown == 1 else { return nil }
    let collection = try reader.readVariableLength(as: UInt32.self)
    let first = (collection, try reader.readInteger(UInt64.self))
    let (last, isTooLarge) = collection.addingReportingOverflow(
      try reader.readVariableLength(as: UInt32.self))
    guard !isTooLarge else {
      throw .invalidValue(offset: reader.offset, reason: "collection above the limit")
    }
    return KeyHeads(first: first, last: (last, try reader.readInteger(UInt64.self)))
  }
}
