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
    let candidates =
      [concatenation(byteCount)] + Self.pieceByteCounts.map { covering(byteCount, pieces: $0) }
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

  /// Pieces of payloads that together hold the parts that most payloads have: after the idea of
  /// cover training (Liao, Petri, Moffat and Wirth, 2016).
  ///
  /// The sample is cut into as many stretches as pieces fit the dictionary. Of each the piece is
  /// taken whose parts occur in most payloads; parts that were taken count no more.
  private func covering(_ byteCount: Int, pieces pieceByteCount: Int) -> [UInt8] {
    let bytes = training.flatMap { $0 }
    let partCount = bytes.count - Self.partByteCount + 1
    guard partCount > pieceByteCount else { return [UInt8](bytes.prefix(byteCount)) }
    let parts = (0..<partCount).map { Self.slot(bytes, $0) }
    var frequencies = Self.frequencies(of: training)
    let stretch = max(partCount / max(byteCount / pieceByteCount, 1), pieceByteCount)
    let window = pieceByteCount - Self.partByteCount + 1
    var pieces: [(score: Int, start: Int)] = []
    for first in Swift.stride(from: 0, through: partCount - window, by: stretch) {
      var score = (first..<(first + window)).reduce(0) { $0 + Int(frequencies[parts[$1]]) }
      var best = (score: score, start: first)
      for start in (first + 1)..<max(first + 1, min(first + stretch, partCount - window)) {
        score += Int(frequencies[parts[start + window - 1]]) - Int(frequencies[parts[start - 1]])
        if score > best.score { best = (score, start) }
      }
      for part in best.start..<(best.start + window) { frequencies[parts[part]] = 0 }
      pieces.append(best)
    }
    // The best at the end: what is entered last stays in the tables.
    let order = pieces.indices.sorted {
      (pieces[$0].score, pieces[$0].start) < (pieces[$1].score, pieces[$1].start)
    }
    let joined = order.flatMap { index in
      bytes[pieces[index].start..<(pieces[index].start + pieceByteCount)]
    }
    return [UInt8](joined.suffix(byteCount))
  }

  private static let pieceByteCounts = [24, 48, 96]
  /// Matches are found by a hash of five bytes; one more makes chance hits rare.
  private static let partByteCount = 6
  private static let slotCountLog2: UInt64 = 17

  private static func slot(_ bytes: [UInt8], _ start: Int) -> Int {
    var part: UInt64 = 0
    for offset in 0..<partByteCount { part = part << 8 | UInt64(bytes[start + offset]) }
    return Int((part &* 0x9E37_79B9_7F4A_7C15) >> (64 - slotCountLog2))
  }

  /// In how many payloads each part occurs, by slot of a hash table.
  private static func frequencies(of payloads: [[UInt8]]) -> [UInt32] {
    var frequencies = [UInt32](repeating: 0, count: 1 << slotCountLog2)
    var last = [Int](repeating: -1, count: 1 << slotCountLog2)
    for (number, payload) in payloads.enumerated() where payload.count >= partByteCount {
      for start in 0...(payload.count - partByteCount) {
        let slot = slot(payload, start)
        guard last[slot] != number else { continue }
        last[slot] = number
        frequencies[slot] += 1
      }
    }
    // What one payload alone has does not help the others.
    return frequencies.map { $0 > 1 ? $0 : 0 }
  }
}
