/// How a batch compresses payloads of one collection and version, and what became of it.
struct PayloadCompressing {
  /// Which payloads are tried.
  enum Tries { case none, sample, all }

  /// What they are compressed against; nothing, or one that does not compress, for LZ4 alone.
  let dictionary: CompressionDictionary?
  let tries: Tries
  /// Whether the next payload is of the sample.
  var isSampled = true
  /// Of payloads by whose kind others are judged.
  private(set) var outcome = CompressionAttempts.Outcome()

  init(_ dictionary: CompressionDictionary?, tries: Tries) {
    self.dictionary = dictionary
    self.tries = tries
  }

  /// Whether LZ4 is to be tried on a payload.
  func tries(_ payload: UnsafeRawBufferPointer) -> Bool {
    switch tries {
    case .none: false
    case .all: true
    case .sample: isSampled || payload.count > CompressionAttempts.payloadByteCountMaximum
    }
  }

  /// Remembers what became of an attempt: `size` is how large the payload is now, or nothing where
  /// too little was saved.
  mutating func note(_ payload: UnsafeRawBufferPointer, size: Int?) {
    guard dictionary == nil, payload.count <= CompressionAttempts.payloadByteCountMaximum,
      payload.count >= RecordCompression.payloadByteCountMinimum
    else { return }
    outcome.add(byteCount: payload.count, saved: payload.count - (size ?? payload.count))
  }
}
