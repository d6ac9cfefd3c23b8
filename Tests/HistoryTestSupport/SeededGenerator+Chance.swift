package import StorageTestSupport

extension SeededGenerator {
  /// True once in `count` times.
  package mutating func chance(_ count: Int) -> Bool {
    Int.random(in: 0..<count, using: &self) == 0
  }
}
