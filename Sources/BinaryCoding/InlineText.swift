/// Texts of at most fifteen bytes of ASCII, which a `String` holds in itself: made, and looked at,
/// without a call.
///
/// The standard library takes some 180 instructions to make what is two words. How these look is
/// fixed on Darwin, and has been the same elsewhere; but no document promises it. So it is compared
/// with texts that the compiler makes: it does that while it optimises, and nothing is left of it
/// in the program. Where they ever look otherwise, all texts are made and written in the plain way.
enum InlineText {
  static let byteCountMaximum = 15
  /// The byte behind all others says that the text lies here, that it is ASCII, and its length.
  private static let mark = 0xE0

  /// Whether the compiler makes the very bits that are made here.
  @inline(__always)
  static var isKnown: Bool {
    MemoryLayout<String>.size == MemoryLayout<UInt128>.size
      && word(of: "") == marked(0, count: 0)
      && word(of: "a") == marked(0x61, count: 1)
      && word(of: "bcdefghi") == marked(0x6968_6766_6564_6362, count: 8)
      && word(of: "abcdefghijklmno")
        == marked(0x6F_6E6D_6C6B_6A69_6867_6665_6463_6261, count: 15)
  }

  /// The text whose first byte is the lowest of `word`, of which only the lowest `count` are not
  /// zero; nothing when one of them is not ASCII.
  ///
  /// - Precondition: `isKnown`, and `count` is at most ``byteCountMaximum``.
  @inline(__always)
  static func text(_ word: UInt128, count: Int) -> String? {
    guard word & 0x8080_8080_8080_8080_8080_8080_8080_8080 == 0 else { return nil }
    var bits = marked(word, count: count)
    // Moved, so that nothing is counted.
    return withUnsafeMutablePointer(to: &bits) { bits in
      UnsafeMutableRawPointer(bits).assumingMemoryBound(to: String.self).move()
    }
  }

  /// The bytes of a text, the first one lowest, and how many they are; nothing when it does not lie
  /// in itself or is not ASCII. What is above them is anything.
  ///
  /// - Precondition: `isKnown`.
  @inline(__always)
  static func bytes(of text: String) -> (word: UInt128, count: Int)? {
    let word = word(of: text)
    let last = Int(truncatingIfNeeded: word &>> 120)
    guard last & 0xF0 == mark else { return nil }
    return (word, last & 0x0F)
  }

  /// Makes `text` another one, without the standard library where it lies in itself: most members
  /// of a new object are empty texts before they are read.
  @inline(__always)
  static func replace(_ text: inout String, with other: String) {
    guard isKnown, bytes(of: text) != nil else {
      text = other
      return
    }
    // There is nothing to let go.
    withUnsafeMutablePointer(to: &text) { $0.initialize(to: other) }
  }

  @inline(__always)
  private static func word(of text: String) -> UInt128 {
    unsafeBitCast(text, to: UInt128.self)
  }

  @inline(__always)
  private static func marked(_ word: UInt128, count: Int) -> UInt128 {
    word | UInt128(truncatingIfNeeded: mark | count) &<< 120
  }
}
