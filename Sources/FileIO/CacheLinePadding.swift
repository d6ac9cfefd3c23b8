/// Room before or behind what a class changes all the time: what other threads use lies in other
/// cache lines then, and need not be fetched from one another.
///
/// Objects lie in memory as they were made, so a field of one object may be beside one of another
/// that has nothing to do with it. 128 bytes: the longest line there is, and two of most
/// processors, which fetch them in pairs.
public struct CacheLinePadding: Sendable {
  private typealias Words = (UInt64, UInt64, UInt64, UInt64)
  private let words: (Words, Words, Words, Words)

  /// Room of 128 bytes.
  public init() {
    let four: Words = (0, 0, 0, 0)
    words = (four, four, four, four)
  }
}
