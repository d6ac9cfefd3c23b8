/// A part of a run's locator that has too many keys, in however many parts the locator is divided:
/// their hashes are the same, or begin alike.
///
/// Honest keys are none of that. Hashes have no secret in them, so whoever chooses keys can.
struct HashCrowd: Equatable {
  /// The part, of so many.
  let part: Int
  let partCount: Int

  /// Keys of a crowd that may be merged: they leave room in their part for others, whose number
  /// varies.
  static let keyCountMaximum: UInt64 = 128

  /// The part that has most of the keys, of which it has `keyCounts`; nothing where all have room.
  init?(_ keyCounts: [UInt32]) {
    guard let most = keyCounts.max(), most > UInt32(RunLocator.partKeyCountMaximum),
      let part = keyCounts.firstIndex(of: most)
    else { return nil }
    self.part = part
    partCount = keyCounts.count
  }

  /// Whether a key with this hash belongs to it.
  func contains(_ hash: UInt64) -> Bool {
    RunLocator.part(of: hash, partCount: partCount) == part
  }
}
