internal import FileIO

/// A source of random numbers that depend on nothing but the seed.
package final class SeededRandomSource: RandomSource {
  private let generator: Lock<SeededGenerator>

  package init(seed: UInt64) { generator = Lock(SeededGenerator(seed: seed)) }

  package func next() -> UInt64 { generator.withLock { generator in generator.next() } }
}
