import LogStore
import Testing

@testable import Compaction

@Suite("When dictionaries are looked at")
struct DictionaryReviewsTests {
  static let version = CollectionVersion(collection: .init(16), schemaVersion: 1)

  @Test("At first, and again after as many records as there were")
  func turns() {
    var reviews = DictionaryReviews()
    let met: [(count: UInt64, total: UInt64)] = [
      (100, 250), (100, 250), (100, 250), (100, 250), (100, 5_000_000), (999_999, 5_000_000),
      (1, 5_000_000), (1, 5_000_000),
    ]
    let isDue = met.map {
      reviews.meet($0.count, of: Self.version, among: $0.total, mayReview: true)
    }
    #expect(isDue == [true, false, false, false, true, false, false, true])
  }

  @Test("Each version has its own turn, and one that could not be looked at has it next time")
  func apart() {
    var reviews = DictionaryReviews()
    let other = CollectionVersion(collection: .init(16), schemaVersion: 2)
    let isDue = [
      reviews.meet(1, of: Self.version, among: 10, mayReview: true),
      reviews.meet(1, of: other, among: 10, mayReview: false),
      reviews.meet(1, of: other, among: 10, mayReview: true),
    ]
    #expect(isDue == [true, false, true])
  }

  @Test("What told nothing is looked at again at once")
  func again() throws {
    var reviews = DictionaryReviews()
    var isDue = [reviews.meet(1, of: Self.version, among: 10, mayReview: true)]
    reviews.lookAgain(at: Self.version)
    for _ in 0..<2 {
      isDue.append(reviews.meet(1, of: Self.version, among: 10, mayReview: true))
    }
    #expect(isDue == [true, true, false])
  }

  @Test("A larger one is tried at first, and again with twice as many records")
  func larger() {
    var reviews = DictionaryReviews()
    let tries = [1000, 1999, 2000, 3999, 1, 4001].map {
      reviews.triesLarger(Self.version, among: $0)
    }
    #expect(tries == [true, false, true, false, false, true])
    let other = reviews.triesLarger(.init(collection: .init(16), schemaVersion: 2), among: 1)
    #expect(other)
    reviews.triedNothing(for: Self.version)
    let again = reviews.triesLarger(Self.version, among: 1)
    #expect(again)
  }
}
