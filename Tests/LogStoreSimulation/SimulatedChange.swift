/// One change of a batch: a key by its number, and what becomes of it.
package struct SimulatedChange: Sendable, Equatable, CustomStringConvertible {
  package var key: Int
  /// Bytes of the payload; nothing for a deletion.
  package var byteCount: Int?
  /// Distinguishes payloads; even ones can be compressed, odd ones cannot.
  package var token: UInt64 = 0
  package var schemaVersion: UInt64 = 0

  /// The payload that the token and size stand for.
  var payload: [UInt8] {
    guard let byteCount else { return [] }
    var state = token &* 0x9E37_79B9_7F4A_7C15 | 1
    return [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
      for index in 0..<byteCount {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let byte = UInt8(truncatingIfNeeded: state >> 56)
        buffer[index] = token % 2 == 0 ? byte & 3 : byte
      }
      count = byteCount
    }
  }

  package var description: String {
    guard let byteCount else { return "delete \(key)" }
    return "put \(key) size \(byteCount) token \(token) version \(schemaVersion)"
  }
}
