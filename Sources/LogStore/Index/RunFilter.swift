internal import BinaryCoding

/// A blocked Bloom filter: says of most absent keys that they are absent, with one cache miss.
///
/// Each key sets six bits within one line of 64 bytes (Putze, Sanders and Singler, "Cache-, Hash-
/// and Space-Efficient Bloom Filters", 2007); ten bits a key give about 1.3 per cent false answers.
enum RunFilter {
  static let lineByteCount = 64
  private static let bitsPerKey = 10
  private static let probeCount = 6
  /// A look-up that goes without a filter searches a page, which costs about what checking so many
  /// bytes of the filter does. So a filter is checked when as many look-ups went without it as it
  /// has such portions: together they never cost more than twice what checking it first would.
  static let byteCountCheckedPerLookup = 8192

  /// The hash under which a key is added and looked for.
  static func hash(_ collection: CollectionIdentifier, _ key: UnsafeRawBufferPointer) -> UInt64 {
    Checksum.xxh64(key, seed: UInt64(collection.rawValue))
  }

  /// The filter of all `hashes`.
  static func make(_ hashes: [UInt64]) -> [UInt8] {
    let lineCount = max(1, (hashes.count * bitsPerKey + 511) / 512)
    var bytes = [UInt8](repeating: 0, count: lineCount * lineByteCount)
    bytes.withUnsafeMutableBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      for hash in hashes {
        let line = start + position(of: hash, lineCount: lineCount) * lineByteCount
        var bits = hash
        for _ in 0..<probeCount {
          let place = line + Int((bits & 511) >> 3)
          let bit = UInt8(1) &<< UInt8(truncatingIfNeeded: bits & 7)
          place.storeBytes(of: place.load(as: UInt8.self) | bit, as: UInt8.self)
          bits >>= 9
        }
      }
    }
    return bytes
  }

  /// False only when no key with `hash` was added. `filter` holds a whole number of lines.
  static func mayContain(_ hash: UInt64, in filter: UnsafeRawBufferPointer) -> Bool {
    let line = position(of: hash, lineCount: filter.count / lineByteCount) * lineByteCount
    var bits = hash
    for _ in 0..<probeCount {
      let bit = Int(bits & 511)
      if filter[line + bit >> 3] & (1 << UInt8(bit & 7)) == 0 { return false }
      bits >>= 9
    }
    return true
  }

  /// Asks for the line of a hash.
  static func prefetch(_ hash: UInt64, in filter: UnsafeRawBufferPointer) {
    guard let base = filter.baseAddress else { return }
    let line = position(of: hash, lineCount: filter.count / lineByteCount) * lineByteCount
    Prefetch.read(base + line, count: lineByteCount)
  }

  /// Which line a hash falls in: the high bits of hash × count, which use other bits than probes.
  private static func position(of hash: UInt64, lineCount: Int) -> Int {
    Int(hash.multipliedFullWidth(by: UInt64(lineCount)).high)
  }
}
