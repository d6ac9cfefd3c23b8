extension DictionaryShelf {
  /// What became of the two records of a dictionary.
  struct Copies: Equatable, Sendable {
    /// Which of them were read, as bits.
    var intact: UInt8 = 0
    /// Those that do not verify, or could not be read.
    var damages: [CorruptionReport] = []
  }
}
