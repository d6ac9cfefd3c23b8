public import BinaryCoding
internal import LogStore

/// The keys and payloads of some objects of one type, one behind the other.
@usableFromInline
struct EncodedObjects: ~Copyable {
  /// Payload and key of each object.
  @usableFromInline var bytes = ByteWriter(capacity: 4 << 10)
  /// Where each payload ends, and the key behind it.
  private var ends: [(payload: Int, key: Int)] = []

  private static let countMaximum = 512
  private static let byteCountMaximum = 1 << 20

  @usableFromInline
  init() {}

  @usableFromInline
  var count: Int { ends.count }

  /// Whether they are to be put before more are encoded.
  @usableFromInline
  var isFull: Bool { ends.count >= Self.countMaximum || bytes.count >= Self.byteCountMaximum }

  /// Ends an object whose payload was written to ``bytes``.
  @usableFromInline
  mutating func end(_ key: [UInt8]) {
    let payloadEnd = bytes.count
    key.withUnsafeBytes { bytes.writeBytes($0) }
    ends.append((payloadEnd, bytes.count))
  }

  /// Forgets what was written of an object that could not be encoded.
  @usableFromInline
  mutating func undo() { bytes.truncate(to: ends.last?.key ?? 0) }

  @usableFromInline
  mutating func removeAll() {
    bytes.removeAll()
    ends.removeAll(keepingCapacity: true)
  }

  /// All of them, valid until the next change.
  var lent: [KeyedPayload] {
    var start = 0
    return ends.map { end in
      defer { start = end.key }
      return KeyedPayload(
        key: UnsafeRawBufferPointer(rebasing: bytes.bytes[end.payload..<end.key]),
        payload: UnsafeRawBufferPointer(rebasing: bytes.bytes[start..<end.payload]))
    }
  }
}
