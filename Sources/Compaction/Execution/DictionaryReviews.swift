internal import LogStore

/// When the dictionaries of each version of a collection are to be looked at: a value.
///
/// When records of it are first met, and again after as many as the collection had then, a million
/// at most: what it has may compress less well than it did. A larger dictionary is tried for a
/// version whose collection has twice as many records as when that was tried last.
package struct DictionaryReviews: Sendable {
  private var left: [CollectionVersion: UInt64] = [:]
  /// How many records there were when a larger dictionary was tried.
  private var tried: [CollectionVersion: UInt64] = [:]

  private static let recordCountMaximum: UInt64 = 1_000_000

  /// Nothing was looked at yet.
  package init() {}

  /// Notes that a rewrite meets `count` records of a version, of a collection with `total` of them;
  /// returns whether its dictionary is to be looked at now. When it must not be now, it is due
  /// again at once.
  mutating func meet(
    _ count: UInt64, of version: CollectionVersion, among total: UInt64, mayReview: Bool
  ) -> Bool {
    let rest = left[version] ?? 0
    guard rest == 0, mayReview else {
      left[version] = rest - min(rest, count)
      return false
    }
    left[version] = min(total, Self.recordCountMaximum)
    return true
  }

  /// Whether a larger dictionary is to be tried now, for a version of a collection with `total`
  /// records.
  mutating func triesLarger(_ version: CollectionVersion, among total: UInt64) -> Bool {
    guard total / 2 >= tried[version] ?? 0 else { return false }
    tried[version] = total
    return true
  }

  /// There was no room for a larger one: it is tried again next time.
  mutating func triedNothing(for version: CollectionVersion) { tried[version] = nil }

  /// What was looked at told nothing: it is due again at once.
  mutating func lookAgain(at version: CollectionVersion) { left[version] = nil }
}
