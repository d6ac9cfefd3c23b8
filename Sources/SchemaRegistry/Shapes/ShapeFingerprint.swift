internal import BinaryCoding

/// 128 bits that are equal when two shapes mean the same.
///
/// Computed over a canonical form: identities, names, types and keys. The order of types and
/// members and the version number are not part of it. Two XXH64 sums with different seeds, so an
/// accident is out of the question; it is no defence against someone who builds a collision.
public struct ShapeFingerprint: Hashable, Sendable, CustomStringConvertible {
  /// The first eight bytes.
  public let high: UInt64
  /// The last eight bytes.
  public let low: UInt64

  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// The sum of any bytes, for fingerprints that are built from other things than shapes.
  public init(of bytes: UnsafeRawBufferPointer) {
    high = Checksum.xxh64(bytes, seed: 0x4C6F_6753_746F_7265)  // "LogStore"
    low = Checksum.xxh64(bytes, seed: 0x5363_6865_6D61_7331)  // "Schemas1"
  }

  /// 32 hexadecimal digits.
  public var description: String { Hexadecimal.text(high) + Hexadecimal.text(low) }

  /// Reads 32 hexadecimal digits; nil for any other text.
  public init?(parsing text: String) {
    guard let bytes = Hexadecimal.bytes(text), bytes.count == 16 else { return nil }
    high = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
    low = bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
  }
}

extension TypeShape {
  /// The fingerprint of this type alone.
  public var fingerprint: ShapeFingerprint {
    var writer = ByteWriter()
    CanonicalShape.write(self, to: &writer)
    return ShapeFingerprint(of: writer.bytes)
  }
}

extension SchemaShape {
  /// The fingerprint of all types; the cost grows with the number of members.
  public var fingerprint: ShapeFingerprint {
    var writer = ByteWriter()
    for type in types.sorted(by: { CanonicalShape.precedes($0.identity, $1.identity) }) {
      CanonicalShape.write(type, to: &writer)
    }
    return ShapeFingerprint(of: writer.bytes)
  }
}
