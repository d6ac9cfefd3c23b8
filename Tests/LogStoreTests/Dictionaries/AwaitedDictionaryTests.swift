import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Dictionaries for the version of an upgrade that has written nothing yet.
@Suite struct AwaitedDictionaryTests {
  /// Records of version 1, dictionary 1 for version 2 of them, and dictionary 2, which stays as the
  /// last one, for another collection.
  private static func filled() throws -> Log {
    let log = try DictionaryLog.open(InMemoryFileSystem())
    try DictionaryLog.put(0..<400, log)
    let sample = (0..<512).map { DictionaryLog.payload($0 * 3) }
    for collection in [DictionaryLog.people, CollectionIdentifier(2)] {
      let version = CollectionVersion(collection: collection, schemaVersion: 2)
      #expect(try log.makeDictionary(for: version, sample: sample, recordCount: 5000))
    }
    return log
  }

  /// Rewrites everything; returns the dictionaries that are left.
  private static func rewrite(_ log: Log) throws -> [UInt32] {
    try log.sealActiveSegment()
    let rewrite = try log.beginRewrite(of: Set(log.pipeline.sealed.map(\.identifier)))
    while try rewrite.carryOver(atMost: 100) {}
    try rewrite.publish()
    return try log.statistics().dictionaries.map(\.identifier.rawValue)
  }

  @Test("They stay when the step that made them is given up, for the one that goes on")
  func stay() throws {
    let log = try Self.filled()
    #expect(try Self.rewrite(log) == [1, 2])
    let version = CollectionVersion(collection: DictionaryLog.people, schemaVersion: 2)
    #expect(log.pipeline.dictionaries.newest(of: version) != nil)
    #expect(try DictionaryLog.defect(0..<400, log) == nil)
  }

  @Test("They go when a newer version is there, or nothing of the collection is left")
  func go() throws {
    for isDeleted in [false, true] {
      let log = try Self.filled()
      let batch = log.makeBatch()
      for number in 0..<400 {
        if isDeleted {
          try batch.delete(DictionaryLog.key(number), in: DictionaryLog.people)
        } else if number == 7 {
          try batch.put(
            DictionaryLog.key(number), in: DictionaryLog.people, schemaVersion: 3,
            payload: DictionaryLog.payload(number))
        }
      }
      try log.commit(batch)
      #expect(try Self.rewrite(log) == [2], "deleted: \(isDeleted)")
    }
  }
}
