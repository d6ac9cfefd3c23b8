import Testing

@testable import Compaction

@Suite("A sample of payloads takes a bounded number of bytes, and is fair")
struct PayloadSampleTests {
  @Test("However many and however large the payloads, the budget holds")
  func budget() {
    var largest = 0
    for size in [1, 100, 5000, 100_000, 3 << 20] {
      var sample = PayloadSample(byteCountMaximum: 64 << 10, seed: 7)
      for number in 0..<2000 {
        sample.offer([UInt8](repeating: UInt8(number & 0xFF), count: size))
        largest = max(largest, sample.byteCount)
      }
      #expect(sample.byteCount == sample.payloads.reduce(0) { $0 + $1.count })
      #expect(sample.byteCount >= min(2000 * size, 32 << 10))
    }
    #expect(largest <= 64 << 10)
  }

  @Test("The last payloads are as likely to be in it as the first, and a seed repeats it")
  func fairness() {
    var halves = [0, 0]
    for seed in 0..<40 as Range<UInt64> {
      var sample = PayloadSample(byteCountMaximum: 8 << 10, seed: seed)
      var again = PayloadSample(byteCountMaximum: 8 << 10, seed: seed)
      for number in 0..<4096 {
        let payload = [UInt8](repeating: UInt8(number / 2048), count: 100)
        sample.offer(payload)
        again.offer(payload)
      }
      #expect(sample.payloads == again.payloads)
      for payload in sample.payloads { halves[Int(payload[0])] += 1 }
    }
    let fraction = Double(halves[1]) / Double(halves[0] + halves[1])
    #expect(fraction > 0.45 && fraction < 0.55, "\(halves)")
  }

  /// The rule, said simply: in order of their draws, and what does not fit goes.
  private struct Reference {
    var random: UInt64
    var kept: [(draw: UInt64, order: Int, payload: [UInt8])] = []
    var order = 0
    let byteCountMaximum: Int

    mutating func offer(_ payload: [UInt8]) {
      random &+= 0x9E37_79B9_7F4A_7C15
      var draw = random
      draw = (draw ^ draw >> 30) &* 0xBF58_476D_1CE4_E5B9
      draw = (draw ^ draw >> 27) &* 0x94D0_49BB_1331_11EB
      draw ^= draw >> 31
      order += 1
      let total = kept.reduce(payload.count) { $0 + $1.payload.count }
      if total > byteCountMaximum, let last = kept.last, draw > last.draw { return }
      kept.append((draw, order, payload))
      kept.sort { $0.draw < $1.draw }
      while kept.reduce(0, { $0 + $1.payload.count }) > byteCountMaximum { kept.removeLast() }
    }
  }

  @Test("It is what the rule says, whether all fit or not", arguments: 0..<30 as Range<UInt64>)
  func rule(seed: UInt64) {
    var sample = PayloadSample(byteCountMaximum: 3000, seed: seed)
    var reference = Reference(random: seed, byteCountMaximum: 3000)
    for number in 0..<100 {
      let payload = [UInt8](repeating: UInt8(number), count: (number * 37 + Int(seed)) % 120)
      sample.offer(payload)
      reference.offer(payload)
      let expected = reference.kept.sorted { $0.order < $1.order }.map(\.payload)
      #expect(sample.payloads == expected)
    }
  }
}
