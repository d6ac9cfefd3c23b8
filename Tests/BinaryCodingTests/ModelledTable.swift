import StorageTestSupport
import Testing

@testable import BinaryCoding

/// A table that is compared with a dictionary.
protocol ModelledTable {
  init()
  var isEmpty: Bool { get }
  var count: Int { get }
  subscript(key: Int) -> Int? { get set }
  /// Adds `step` to the value of `key`, which begins with 7.
  mutating func add(_ step: Int, to key: Int)
}

extension SmallTable<Int, Int>: ModelledTable {
  mutating func add(_ step: Int, to key: Int) { update(key, from: 7) { $0 += step } }
}

extension SortedTable<Int, Int>: ModelledTable {
  mutating func add(_ step: Int, to key: Int) { update(key, from: 7) { $0 += step } }
}

extension ModelledTable {
  /// A table after 600 changes of up to `keyCount` keys, each of which did what it does to a
  /// dictionary, and that dictionary.
  static func changed(keyCount: Int, seed: UInt64) -> (table: Self, model: [Int: Int]) {
    var random = SeededGenerator(seed: seed)
    var table = Self()
    var model: [Int: Int] = [:]
    for step in 0..<600 {
      let key = Int.random(in: 0..<keyCount, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        table[key] = step
        model[key] = step
      case 1:
        table[key] = nil
        model[key] = nil
      default:
        table.add(step, to: key)
        model[key, default: 7] += step
      }
      #expect(table[key] == model[key], "seed \(seed), step \(step)")
      #expect(table.count == model.count, "seed \(seed), step \(step)")
      #expect(table.isEmpty == model.isEmpty)
    }
    return (table, model)
  }
}
