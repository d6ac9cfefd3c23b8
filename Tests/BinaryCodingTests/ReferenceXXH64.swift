/// XXH64 written for clarity after its published specification ("xxHash fast digest algorithm",
/// version 0.1.1): the remaining bytes are consumed from an array, step by step.
enum ReferenceXXH64 {
  private static let primes: [UInt64] = [
    0,
    0b10011110_00110111_01111001_10110001_10000101_11101011_11001010_10000111,
    0b11000010_10110010_10101110_00111101_00100111_11010100_11101011_01001111,
    0b00010110_01010110_01100111_10110001_10011110_00110111_01111001_11111001,
    0b10000101_11101011_11001010_01110111_11000010_10110010_10101110_01100011,
    0b00100111_11010100_11101011_00101111_00010110_01010110_01100111_11000101,
  ]

  static func hash(_ bytes: [UInt8], seed: UInt64) -> UInt64 {
    var rest = bytes[...]
    var result: UInt64
    if bytes.count >= 32 {
      var lanes = [seed &+ primes[1] &+ primes[2], seed &+ primes[2], seed, seed &- primes[1]]
      while rest.count >= 32 {
        for lane in 0..<4 { lanes[lane] = round(lanes[lane], take(8, from: &rest)) }
      }
      result = zip(lanes, [1, 7, 12, 18]).reduce(0) { $0 &+ rotate($1.0, by: UInt64($1.1)) }
      for lane in lanes { result = (result ^ round(0, lane)) &* primes[1] &+ primes[4] }
    } else {
      result = seed &+ primes[5]
    }
    result &+= UInt64(bytes.count)
    while rest.count >= 8 {
      result = rotate(result ^ round(0, take(8, from: &rest)), by: 27) &* primes[1] &+ primes[4]
    }
    if rest.count >= 4 {
      result = rotate(result ^ take(4, from: &rest) &* primes[1], by: 23) &* primes[2] &+ primes[3]
    }
    while !rest.isEmpty {
      result = rotate(result ^ take(1, from: &rest) &* primes[5], by: 11) &* primes[1]
    }
    result = (result ^ (result >> 33)) &* primes[2]
    result = (result ^ (result >> 29)) &* primes[3]
    return result ^ (result >> 32)
  }

  private static func round(_ lane: UInt64, _ input: UInt64) -> UInt64 {
    rotate(lane &+ input &* primes[2], by: 31) &* primes[1]
  }

  private static func rotate(_ value: UInt64, by count: UInt64) -> UInt64 {
    (value << count) | (value >> (64 - count))
  }

  /// The next `count` bytes as a little-endian number.
  private static func take(_ count: Int, from bytes: inout ArraySlice<UInt8>) -> UInt64 {
    let taken = bytes.prefix(count)
    bytes = bytes.dropFirst(count)
    return taken.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
