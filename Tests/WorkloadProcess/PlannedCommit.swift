import LogStore
import StorageTestSupport

/// What a writer commits as its n-th commit: it depends on the seed, the writer and n alone.
///
/// So a store needs no record of what was submitted: its contents follow from how many commits of
/// each writer it holds, and each commit puts that number under the writer's progress key.
struct PlannedCommit {
  /// A key with its new payload; nothing removes it.
  struct Change {
    let key: [UInt8]
    let payload: [UInt8]?
  }

  static let writerCount = 4
  /// Every other stretch of so many commits is a series that nobody synchronizes.
  private static let stretch = 64
  static let collection = CollectionIdentifier(1)
  /// Every transaction raises all of them by one, whoever runs it.
  static let sharedCounterKeys = (0..<4).map { [UInt8]("shared \($0)".utf8) }

  let changes: [Change]
  let isTransaction: Bool
  let durability: Durability

  init(seed: UInt64, writer: Int, number: Int) {
    var generator = SeededGenerator(
      seed: seed &* 0x1_0000_01B3 &+ UInt64(writer) << 48 &+ UInt64(number))
    isTransaction = Int.random(in: 0..<4, using: &generator) == 0
    let isInSeries = number / Self.stretch % 2 == 1
    let isDurable = Int.random(in: 0..<10, using: &generator) < 6
    durability = isDurable && !isInSeries ? .full : .process
    let isLarge = Int.random(in: 0..<20, using: &generator) == 0
    var changes = [Change(key: Self.progressKey(writer), payload: [UInt8]("\(number)".utf8))]
    for _ in 0..<Int.random(in: 1...(isLarge ? 30 : 4), using: &generator) {
      let key = [UInt8]("\(writer)/\(Int.random(in: 0..<96, using: &generator))".utf8)
      let removes = Int.random(in: 0..<5, using: &generator) == 0
      changes.append(Change(key: key, payload: removes ? nil : Self.payload(&generator)))
    }
    self.changes = changes
  }

  static func progressKey(_ writer: Int) -> [UInt8] { [UInt8]("progress \(writer)".utf8) }

  /// Mostly small, sometimes some pages of a disk; half of them can be compressed.
  private static func payload(_ generator: inout SeededGenerator) -> [UInt8] {
    let isLarge = Int.random(in: 0..<40, using: &generator) == 0
    let count = Int.random(in: 0..<(isLarge ? 40_000 : 300), using: &generator)
    guard Bool.random(using: &generator) else { return generator.bytes(count) }
    return [UInt8](repeating: UInt8.random(in: 0...255, using: &generator), count: count)
  }

  /// The number that a counter's payload, or nothing for one never written, stands for.
  static func number(_ payload: [UInt8]?) -> Int? {
    guard let payload else { return 0 }
    return Int(String(decoding: payload, as: UTF8.self))
  }
}
