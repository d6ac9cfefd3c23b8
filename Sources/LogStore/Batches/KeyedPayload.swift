/// A key and the payload that it is to have, lent for a put of many records.
public struct KeyedPayload: @unchecked Sendable {
  // Sendable: other threads read the bytes only while the put runs that they are lent to.

  /// The key's bytes.
  public let key: UnsafeRawBufferPointer
  /// The payload's bytes.
  public let payload: UnsafeRawBufferPointer

  /// What the record takes at most.
  var byteCountMaximum: Int { RecordHeader.byteCountMaximum + key.count + payload.count }

  /// Lends bytes that stay as they are until the put returns.
  public init(key: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer) {
    self.key = key
    self.payload = payload
  }
}
