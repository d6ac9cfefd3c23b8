import StorageTestSupport
import Testing

@testable import LogStore

@Suite struct SegmentTableTests {
  private static func identifier(_ number: Int) -> SegmentIdentifier {
    SegmentIdentifier(UInt32(number))
  }

  @Test("does what a dictionary does, and keeps its entries in order", arguments: [3, 12, 200])
  func followsDictionary(segmentCount: Int) {
    for seed in UInt64(0)..<20 {
      var random = SeededGenerator(seed: seed)
      let first = (1...segmentCount).filter { _ in Bool.random(using: &random) }
      var table = SegmentTable(first.shuffled(using: &random)) { Self.identifier($0) }
      var model = Dictionary(uniqueKeysWithValues: first.map { (Self.identifier($0), $0) })
      for step in 0..<400 {
        let identifier = Self.identifier(Int.random(in: 0...(segmentCount + 1), using: &random))
        switch Int.random(in: 0..<5, using: &random) {
        case 2 where step % 50 == 0:
          let multiple = UInt32.random(in: 2...5, using: &random)
          table.removeAll { $0.rawValue % multiple == 0 }
          model = model.filter { $0.key.rawValue % multiple != 0 }
        case 0:
          table[identifier] = nil
          model[identifier] = nil
        case 1:
          table.change(identifier) { $0 += step }
          model[identifier]? += step
        default:
          table[identifier] = step
          model[identifier] = step
        }
        if table[identifier] != model[identifier] { Issue.record("seed \(seed), step \(step)") }
      }
      let expected = model.sorted { $0.key < $1.key }
      #expect(table.entries.map(\.identifier) == expected.map(\.key), "seed \(seed)")
      #expect(table.values == expected.map(\.value), "seed \(seed)")
      let doubled = table.mapValues { $0 * 2 }
      for number in 0...(segmentCount + 1) {
        let identifier = Self.identifier(number)
        #expect(table[identifier] == model[identifier], "seed \(seed), segment \(number)")
        #expect(doubled[identifier] == model[identifier].map { $0 * 2 }, "seed \(seed)")
      }
    }
  }
}
