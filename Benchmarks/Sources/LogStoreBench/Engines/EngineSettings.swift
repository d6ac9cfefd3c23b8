/// How an engine is opened.
struct EngineSettings {
  /// The directory of the store; it exists.
  let path: String
  let promise: Promise
  let keyKind: KeyKind
  /// Bytes of all records: for engines that must be told an upper bound of their file.
  let expectedByteCount: Int

  /// What every engine that caches pages itself may use for it, in bytes: 256 MiB.
  static let cacheByteCount = 256 << 20
  /// The write buffer of engines that have one, in bytes: 64 MiB.
  static let writeBufferByteCount = 64 << 20
  /// Bits a key in the filters of engines that have them.
  static let filterBitsPerKey = 10
}
