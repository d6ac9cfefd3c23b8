/// The bytes of one file in memory, shared by all its handles.
final class InMemoryFileContents: Sendable {
  /// Larger files are refused: memory, unlike disk, ends the process when it runs out.
  static let byteCountLimit = UInt64(1) << 32

  let bytes = Lock<[UInt8]>([])
}
