internal import BinaryCoding

/// Makes dictionaries from a sample of payloads: pure, and the same for the same sample.
///
/// Half of the sample is what candidates are made of, the other half what they are judged by.
struct DictionaryTraining {
  private let training: [[UInt8]]
  private let judging: [[UInt8]]
  private let state = CompressionState.fresh()

  /// Payloads are looked at up to here.
  private static let payloadByteCountMaximum = 4 << 10

  init(_ sample: [[UInt8]]) {
    training = sample.indices.filter { $0 % 2 == 0 }.map {
      [UInt8](sample[$0].prefix(Self.payloadByteCountMaximum))
    }
    judging = sample.indices.filter { $0 % 2 == 1 }.map { sample[$0] }
  }

  /// Bytes of which a dictionary can be made.
  var byteCount: Int { training.reduce(0) { $0 + $1.count } }

  /// Payloads by which dictionaries are judged.
  var judgedCount: Int { judging.count }

  /// How small the judging half becomes; without a dictionary, or one that does not compress, each
  /// payload by itself.
  func result(
    with dictionary: CompressionDictionary?, _ effort: CompressionEffort = .quick
  ) -> CompressionDictionary.Sample {
    var scratch = ByteWriter(capacity: 4 << 10)
    var result = CompressionDictionary.Sample(rawByteCount: 0, storedByteCount: 0)
    for payload in judging {
      let size = payload.withBytes {
        RecordCompression.compress($0, against: dictionary, effort, into: &scratch, with: state)
      }
      result.rawByteCount += UInt64(payload.count)
      result.storedByteCount += UInt64(size ?? payload.count)
    }
    return result
  }

  /// The best dictionary of at most `byteCount` bytes that was found.
  func best(
    _ identifier: DictionaryIdentifier, _ version: CollectionVersion, byteCount: Int
  ) -> CompressionDictionary {
    let parts = SampleParts(of: training)
    let candidates =
      [concatenation(byteCount)]
      + Self.pieceByteCounts.map { parts.covering(byteCount, pieces: $0) }
    let judged = candidates.map { bytes in
      let dictionary = make(
        identifier, version, bytes,
        CompressionDictionary.Sample(rawByteCount: 0, storedByteCount: 0))
      return (bytes: bytes, sample: result(with: dictionary))
    }
    // The first of equal ones.
    let best = judged.reduce(judged[0]) {
      $1.sample.storedByteCount < $0.sample.storedByteCount ? $1 : $0
    }
    return make(identifier, version, best.bytes, best.sample)
  }

  private func make(
    _ identifier: DictionaryIdentifier, _ version: CollectionVersion, _ bytes: [UInt8],
    _ sample: CompressionDictionary.Sample
  ) -> CompressionDictionary {
    bytes.withBytes { CompressionDictionary(identifier, version, sample: sample, bytes: $0) }
  }

  // MARK: Candidates

  /// Whole payloads, spread over the sample.
  private func concatenation(_ byteCount: Int) -> [UInt8] {
    let total = training.reduce(0) { $0 + $1.count }
    let stride = max(1, total / max(byteCount, 1))
    var bytes: [UInt8] = []
    for index in Swift.stride(from: 0, to: training.count, by: stride) {
      bytes += training[index].prefix(byteCount - bytes.count)
    }
    return bytes
  }

  private static let pieceByteCounts = [24, 48, 96]
}
