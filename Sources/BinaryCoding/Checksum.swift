internal import CChecksum

/// Checksums of the format: CRC-32C for headers and records, XXH64 for frame bodies.
public enum Checksum {
  /// CRC-32C (Castagnoli) of `bytes`, continuing from `start`; about 0.1 ns a byte in hardware.
  public static func crc32c(_ bytes: UnsafeRawBufferPointer, continuing start: UInt32 = 0) -> UInt32
  {
    guard let base = bytes.baseAddress else { return start }
    return logstore_crc32c(start, base, bytes.count)
  }

  /// CRC-32C of the eight little-endian bytes of `value`, continuing from `start`.
  public static func crc32c(of value: UInt64, continuing start: UInt32) -> UInt32 {
    var littleEndian = value.littleEndian
    return logstore_crc32c(start, &littleEndian, 8)
  }

  /// CRC-32C of `bytes`, and then of the eight little-endian bytes of each of two numbers.
  public static func crc32c(
    _ bytes: UnsafeRawBufferPointer, boundTo first: UInt64, _ second: UInt64
  ) -> UInt32 {
    logstore_crc32c_bound(bytes.baseAddress, bytes.count, first, second)
  }

  /// The table-driven CRC-32C that serves processors without the instruction, and tests as oracle.
  public static func portableCRC32C(
    _ bytes: UnsafeRawBufferPointer, continuing start: UInt32 = 0
  ) -> UInt32 {
    guard let base = bytes.baseAddress else { return start }
    return logstore_crc32c_portable(start, base, bytes.count)
  }

  /// The same for ``crc32c(_:boundTo:_:)``.
  public static func portableCRC32C(
    _ bytes: UnsafeRawBufferPointer, boundTo first: UInt64, _ second: UInt64
  ) -> UInt32 {
    logstore_crc32c_bound_portable(bytes.baseAddress, bytes.count, first, second)
  }

  /// Whether this processor computes CRC-32C by instruction.
  public static var isCRC32CInHardware: Bool { logstore_crc32c_is_hardware() }

  /// XXH64 of `bytes` with `seed`.
  public static func xxh64(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
    guard let base = bytes.baseAddress else {
      var nothing: UInt8 = 0
      return logstore_xxh64(&nothing, 0, seed)
    }
    return logstore_xxh64(base, bytes.count, seed)
  }
}
