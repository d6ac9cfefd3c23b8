import StorageTestSupport
import Testing

@testable import LogStore

@Suite struct SamplePartsTests {
  @Test(
    "Pieces are those that the simple search takes", arguments: 0..<60 as Range<UInt64>,
    [24, 48, 96])
  func coveringIsThatOfTheSimpleSearch(seed: UInt64, pieces: Int) {
    var generator = SeededGenerator(seed: seed)
    let words = (0..<20).map { _ in
      (0..<Int.random(in: 1...12, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
    }
    let payloads = (0..<Int.random(in: 0...80, using: &generator)).map { _ in
      [UInt8](
        (0..<Int.random(in: 0...9, using: &generator)).flatMap { _ in
          words[Int.random(in: 0..<20, using: &generator)]
        })
    }
    let parts = SampleParts(of: payloads)
    for byteCount in [0, 1, 100, 1000] {
      #expect(
        parts.covering(byteCount, pieces: pieces)
          == SimpleCovering(payloads).bytes(byteCount, pieces: pieces),
        "seed \(seed), \(byteCount) bytes of \(pieces)")
    }
  }

  /// The same, part by part, with nothing kept from one size of pieces to the next.
  private struct SimpleCovering {
    let payloads: [[UInt8]]
    let bytes: [UInt8]

    init(_ payloads: [[UInt8]]) {
      self.payloads = payloads
      bytes = payloads.flatMap { $0 }
    }

    static func slot(_ bytes: [UInt8], _ start: Int) -> Int {
      let part = bytes[start..<(start + 6)].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
      return Int((part &* 0x9E37_79B9_7F4A_7C15) >> 47)
    }

    var frequencies: [Int: Int] {
      var frequencies: [Int: Int] = [:]
      for payload in payloads where payload.count >= 6 {
        for slot in Set((0...(payload.count - 6)).map { Self.slot(payload, $0) }) {
          frequencies[slot, default: 0] += 1
        }
      }
      return frequencies.filter { $0.value > 1 }
    }

    func bytes(_ byteCount: Int, pieces pieceByteCount: Int) -> [UInt8] {
      let partCount = bytes.count - 5
      guard partCount > pieceByteCount else { return [UInt8](bytes.prefix(byteCount)) }
      var frequencies = frequencies
      let stretch = max(partCount / max(byteCount / pieceByteCount, 1), pieceByteCount)
      let window = pieceByteCount - 5
      var pieces: [(score: Int, start: Int)] = []
      for first in stride(from: 0, through: partCount - window, by: stretch) {
        let end = max(first + 1, min(first + stretch, partCount - window))
        let scored = (first..<end).map { start in
          let slots = (start..<(start + window)).map { Self.slot(bytes, $0) }
          return (score: slots.reduce(0) { $0 + frequencies[$1, default: 0] }, start: start)
        }
        let best = scored.reduce(scored[0]) { $1.score > $0.score ? $1 : $0 }
        for start in best.start..<(best.start + window) {
          frequencies[Self.slot(bytes, start)] = nil
        }
        pieces.append(best)
      }
      let joined = pieces.sorted { ($0.score, $0.start) < ($1.score, $1.start) }
        .flatMap { bytes[$0.start..<($0.start + pieceByteCount)] }
      return [UInt8](joined.suffix(byteCount))
    }
  }
}
