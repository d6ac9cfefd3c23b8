import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Which rewrites leave an older dictionary for the newest one.
@Suite struct OlderDictionaryTests {
  /// Records compressed against a dictionary, and then another one that knows their like, too.
  private static func fill(_ fileSystem: any FileSystem) throws -> Log {
    let log = try DictionaryLog.open(fileSystem)
    try DictionaryLog.makeDictionary(log)
    try DictionaryLog.put(0..<400, log)
    let others = (0..<900).map { number in
      [UInt8]("quite another text, with other words in it: item \(number * 7919) of \(number)".utf8)
    }
    let sample = others + (0..<512).map { DictionaryLog.payload($0 * 3) }
    #expect(try log.makeDictionary(for: DictionaryLog.version, sample: sample, recordCount: 9000))
    return log
  }

  private static func rewrite(_ log: Log, _ effort: CompressionEffort) throws {
    try log.sealActiveSegment()
    let inputs = Set(try log.statistics().segments.map(\.identifier))
    let rewrite = try log.beginRewrite(of: inputs, effort: effort)
    while try rewrite.carryOver(atMost: 100) {}
    #expect(rewrite.damages.isEmpty)
    try rewrite.publish()
  }

  /// How many records need each dictionary.
  private static func uses(_ log: Log) throws -> [UInt64] {
    try log.statistics().dictionaries.map(\.recordCount)
  }

  @Test("A quick one keeps what has a dictionary; one that takes its time leaves an older one")
  func quickKeepsOlder() throws {
    let log = try Self.fill(InMemoryFileSystem())
    let before = try log.statistics().live
    #expect(try Self.uses(log) == [400, 0])
    try Self.rewrite(log, .quick)
    #expect(try log.statistics().live == before)
    #expect(try Self.uses(log) == [400, 0])
    #expect(try DictionaryLog.defect(0..<400, log) == nil)
    try Self.rewrite(log, .thorough)
    #expect(try Self.uses(log)[1] > 200)
    #expect(try DictionaryLog.defect(0..<400, log) == nil)
  }
}
