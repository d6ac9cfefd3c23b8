/// A 128-bit identifier in the form of RFC 9562, without Foundation.
public struct UniqueIdentifier: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The first eight bytes, big-endian.
  public let high: UInt64
  /// The last eight bytes, big-endian.
  public let low: UInt64

  @inlinable
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  @inlinable
  public static func < (left: UniqueIdentifier, right: UniqueIdentifier) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }

  /// The text form in lower case, as in `6b0f4a3c-0d6c-4d7e-9a51-7d8e1a4f2b3c`.
  public var description: String {
    var text = Array((Hexadecimal.text(high) + Hexadecimal.text(low)).utf8)
    for position in [20, 16, 12, 8] { text.insert(UInt8(ascii: "-"), at: position) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Reads the text form with dashes, in either case; nil for any other text.
  public init?(parsing text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [8, 4, 4, 4, 12],
      let bytes = Hexadecimal.bytes(parts.joined())
    else { return nil }
    high = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
    low = bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
  }
}
