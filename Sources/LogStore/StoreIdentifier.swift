/// A random number given to a store when it is created, and kept by its copies.
public struct StoreIdentifier: Hashable, Sendable, CustomStringConvertible {
  let low: UInt64
  let high: UInt64

  /// What is mixed into the checksum of every record, so that another store's do not verify.
  var checksumSeed: UInt64 { low ^ (high &* 0x9E37_79B9_7F4A_7C15) }

  public var description: String {
    [high, low].map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}
