/// How a record's payload is stored.
enum RecordCompressionKind: UInt8, Sendable {
  case none = 0
  /// One LZ4 block.
  case lz4 = 1
  /// One LZ4 block against a dictionary; the record names it. Since format 4.
  case lz4WithDictionary = 2
}
