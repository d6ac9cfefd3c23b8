import StorageTestSupport
import Testing

@testable import LogStore

/// Walks over segments that hold runs of neighbouring keys, so that one source is walked a long way
/// without looking at the others, and must stop where another one begins.
@Suite struct SeparateRangesWalkTests {
  private typealias Change = RangeWalkTests.Change

  /// Runs of up to `length` neighbours, some of which lie in, behind or across those of others.
  private static func layer(
    _ length: Int, using generator: inout SeededGenerator
  ) -> [[UInt8]: Change] {
    var layer: [[UInt8]: Change] = [:]
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      let first = Int.random(in: 0..<400, using: &generator)
      let isDeleted = Int.random(in: 0..<5, using: &generator) == 0
      for number in first..<(first + Int.random(in: 1...length, using: &generator)) {
        layer[[UInt8(number >> 8), UInt8(number & 255)]] = isDeleted ? .delete : .put
      }
    }
    return layer
  }

  @Test(
    "Every key is shown once, in order, whatever runs of keys the segments hold", arguments: 1...40)
  func runsOfKeys(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let lengths = [1, 3, 30, 200]
    var model = WalkModel()
    let layers = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
      Self.layer(lengths[Int.random(in: 0..<4, using: &generator)], using: &generator)
    }
    let log = try RangeWalkTests.makeStore(layers, &model)
    func key() -> [UInt8] {
      [UInt8.random(in: 0...2, using: &generator), .random(in: .min ... .max, using: &generator)]
    }
    let ranges =
      [KeyRange.all] + (0..<5).map { _ in KeyRange(from: .including(key()), to: .excluding(key())) }
    if seed.isMultiple(of: 2) { try log.mergeIndexes() }
    let overlay = Self.layer(60, using: &generator)
    var wrong =
      try RangeWalkTests.differences(log, model, ranges)
      + RangeWalkTests.differences(log, model, overlay: overlay, ranges)
    let snapshot = log.snapshot()
    for order in KeyOrder.allCases {
      let cursor = try snapshot.records(in: TestLog.people, order: order)
      for _ in 0..<20 {
        let target = key()
        try cursor.seek(to: target)
        let expected = model.records(.all, order, seeking: target).prefix(
          Int.random(in: 0..<90, using: &generator))
        let found = try expected.map { _ in try cursor.next()?.key }
        if found != expected.map(\.key) { wrong.append("\(order) from \(target)") }
      }
    }
    #expect(wrong.isEmpty, "seed \(seed): \(wrong.first ?? "") and \(wrong.count) in all")
  }
}
