import BinaryCoding
import FileIO
import StorageTestSupport

@testable import LogStore

/// A small store that lies in `Fixtures`: how it was written, and what it holds.
struct GoldenStore: Sendable, CustomStringConvertible {
  /// One record as a snapshot of the store shows it.
  struct Record: Equatable, Sendable {
    let key: String
    let schemaVersion: UInt64
    let sequence: UInt64
    let payload: String
  }

  /// The formats in which there is a fixture of it; the last one is what this build writes.
  var versions = [1, 3, 5, 7, 8, 9]
  /// The name of its directory.
  let name: String
  let compression: LogConfiguration.Compression
  /// Its live records in key order.
  let records: [Record]
  /// Keys of a run of a range.
  var rangeKeyCount: UInt64 = 32 << 10
  let write: @Sendable (Log) throws -> Void

  var description: String { name }
  var newest: String { "v\(versions[versions.count - 1])" }
  /// The last before small commits had short headers.
  var newestWithLongFrames: String { newest(before: 7) }
  /// The last before manifests said where the keys of segments lie.
  var newestWithoutHeads: String { newest(before: 8) }
  /// The last before manifests listed who has written.
  var newestWithoutSessions: String { newest(before: 9) }

  private func newest(before format: Int) -> String {
    "v\(versions.last { $0 < format } ?? 0)"
  }

  static let people = CollectionIdentifier(1)
  /// 2025-06-15T15:06:40Z; the commit time of every record.
  static let secondsSince1970: UInt64 = 1_750_000_000

  /// Small segments, fixed time, fixed random numbers.
  var configuration: LogConfiguration {
    var configuration = LogConfiguration()
    configuration.compression = compression
    configuration.segmentByteCountMinimum = 4 << 10
    configuration.segmentByteCountMaximum = 4 << 10
    configuration.transactionByteCountInMemory = 3 << 10
    configuration.randomSource = SeededRandomSource(seed: 2025)
    configuration.timeSource = ManualTimeSource(secondsSince1970: Self.secondsSince1970)
    configuration.maintenance = .none
    configuration.rangeKeyCountMinimum = rangeKeyCount
    return configuration
  }

  /// Writes the store in memory with this build; its files with their names.
  func files(
    hasShortFrames: Bool = true, notesHeads: Bool = true, notesSessions: Bool = true
  ) throws -> [FileName: [UInt8]] {
    let fileSystem = InMemoryFileSystem()
    var configuration = configuration
    configuration.hasShortFrames = hasShortFrames
    configuration.notesHeads = notesHeads
    configuration.notesSessions = notesSessions
    do {
      let log = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
      try write(log)
    }
    return try Self.files(of: fileSystem.openDirectory(at: "/store", create: false))
  }

  static func files(of directory: any Directory) throws -> [FileName: [UInt8]] {
    var files: [FileName: [UInt8]] = [:]
    for text in try directory.list() {
      guard let name = FileName(text) else { continue }
      let file = try directory.open(name, .read)
      let size = try file.size()
      files[name] = try FileReading.all(of: file, limit: size, name: name)
    }
    return files
  }
}

extension GoldenStore {
  /// The worked example of Documentation/Format.md: one record, closed.
  static let oneRecord = GoldenStore(
    name: "one-record", compression: .none,
    records: [Record(key: "A", schemaVersion: 3, sequence: 1, payload: "Hello")]
  ) { log in
    try put(["A": "Hello"], 3, log)
    try log.close()
  }

  /// Puts, a replacement and a tombstone; the second segment was compacted; closed.
  static let compacted = GoldenStore(
    name: "compacted", compression: .none,
    records: [
      Record(key: "A", schemaVersion: 1, sequence: 1, payload: "first A"),
      Record(key: "B", schemaVersion: 2, sequence: 6, payload: "upgraded B"),
      Record(key: "D", schemaVersion: 1, sequence: 4, payload: "first D"),
      Record(key: "E", schemaVersion: 2, sequence: 7, payload: "first E"),
    ]
  ) { log in
    try put(["A": "first A", "B": "first B", "C": "first C", "D": "first D"], 1, log)
    try log.sealActiveSegment()
    // The tombstone comes first, so that the output's sequences do not ascend with its keys.
    let batch = log.makeBatch()
    try batch.delete([UInt8]("C".utf8), in: people)
    try log.commit(batch)
    try put(["B": "second B"], 1, log)
    try log.sealActiveSegment()
    let second = try log.statistics().segments[1].identifier
    let rewrite = try log.beginRewrite(of: [second], transformer: Replacing())
    _ = try rewrite.carryOver()
    try rewrite.publish()
    try put(["E": "first E"], 2, log)
    try log.close()
  }

  private struct Replacing: RecordTransformer {
    func transforms(_ version: CollectionVersion) -> Bool { version.collection == people }

    func transform(_ record: LentRecord, _ memory: inout TransformMemory) -> RecordTransformation {
      memory.new.writeBytes([UInt8]("upgraded B".utf8))
      return .replaced(schemaVersion: 2)
    }
  }

  /// Two commits, the second not synchronized; never closed, with reserved space behind them.
  static let open = GoldenStore(
    versions: [1, 3, 5, 7, 9], name: "open", compression: .none,
    records: [
      Record(key: "A", schemaVersion: 0, sequence: 1, payload: "durable"),
      Record(key: "B", schemaVersion: 0, sequence: 2, payload: "written"),
    ]
  ) { log in
    try put(["A": "durable"], 0, log)
    try put(["B": "written"], 0, log, durability: .process)
  }

  /// One compressed record. Its bytes depend on the version of LZ4, so they are only read.
  static let compressed = GoldenStore(
    name: "compressed", compression: .automatic,
    records: [
      Record(
        key: "A", schemaVersion: 0, sequence: 1,
        payload: String(repeating: "again and ", count: 20))
    ]
  ) { log in
    try put(["A": String(repeating: "again and ", count: 20)], 0, log)
    try log.close()
  }

  /// One commit of three frames in two segments, then a small one; closed.
  static let largeCommit = GoldenStore(
    versions: [2, 3, 5, 7, 8, 9], name: "large-commit", compression: .none,
    records: (0..<7).map { number in
      Record(
        key: "\(number)", schemaVersion: 1, sequence: UInt64(number + 2),
        payload: String(repeating: "\(number)", count: 1000))
    } + [Record(key: "A", schemaVersion: 1, sequence: 9, payload: "second A")]
  ) { log in
    try put(["A": "first A"], 1, log)
    try log.transact { transaction in
      for number in 0..<7 {
        let payload = [UInt8](repeating: UInt8(ascii: "0") + UInt8(number), count: 1000)
        try transaction.put(
          [UInt8]("\(number)".utf8), in: people, schemaVersion: 1, payload: payload)
      }
    }
    try put(["A": "second A"], 1, log)
    try log.close()
  }

  /// Four segments, three of them covered by one run, one of these compacted since; closed.
  static let merged = GoldenStore(
    versions: [2, 3, 5, 7, 8, 9], name: "merged", compression: .none,
    records: [
      Record(key: "A", schemaVersion: 1, sequence: 1, payload: "first A"),
      Record(key: "B", schemaVersion: 1, sequence: 5, payload: "second B"),
      Record(key: "D", schemaVersion: 1, sequence: 4, payload: "first D"),
      Record(key: "E", schemaVersion: 2, sequence: 7, payload: "first E"),
    ]
  ) { log in
    try put(["A": "first A", "B": "first B", "C": "first C", "D": "first D"], 1, log)
    try log.sealActiveSegment()
    try put(["B": "second B"], 1, log)
    try log.sealActiveSegment()
    let batch = log.makeBatch()
    try batch.delete([UInt8]("C".utf8), in: people)
    try log.commit(batch)
    try log.sealActiveSegment()
    try log.mergeIndexes()
    let second = try log.statistics().segments[1].identifier
    let rewrite = try log.beginRewrite(of: [second])
    while let record = try rewrite.next() { try rewrite.keep(record) }
    try rewrite.publish()
    try put(["E": "first E"], 2, log)
    try log.close()
  }

  /// Three segments whose keys lie in three runs of ranges; closed.
  static let ranges = GoldenStore(
    versions: [6, 7, 8, 9], name: "ranges", compression: .none,
    records: ["A", "B", "C", "D", "E", "F"].enumerated().map { number, key in
      key == "B"
        ? Record(key: key, schemaVersion: 1, sequence: 7, payload: "second B")
        : Record(
          key: key, schemaVersion: 1, sequence: UInt64(number + 1), payload: "first \(key)")
    },
    rangeKeyCount: 2
  ) { log in
    try put(["A": "first A", "B": "first B", "C": "first C", "D": "first D"], 1, log)
    try log.sealActiveSegment()
    try put(["E": "first E", "F": "first F"], 1, log)
    try log.sealActiveSegment()
    try put(["B": "second B"], 1, log)
    try log.sealActiveSegment()
    try log.mergeIndexes()
    try log.close()
  }

  /// Records from before there was a dictionary, its two copies, and records that need it; closed.
  /// Its bytes depend on the version of LZ4, so they are only read.
  static let dictionaries = GoldenStore(
    versions: [4, 5, 7, 8, 9], name: "dictionaries", compression: .automatic,
    records: (0..<8).map { number in
      // Two sequences are those of the dictionary.
      Record(
        key: "\(number)", schemaVersion: 1, sequence: UInt64(number < 4 ? number + 1 : number + 3),
        payload: text(number))
    }
  ) { log in
    for number in 0..<8 {
      if number == 4 {
        try log.makeDictionary(
          for: CollectionVersion(collection: people, schemaVersion: 1),
          sample: (0..<512).map { [UInt8](text($0).utf8) }, recordCount: 2048)
      }
      try put(["\(number)": text(number)], 1, log)
    }
    try log.close()
  }

  private static func text(_ number: Int) -> String {
    "name: person \(number * 7919), town: \(number % 17), note: none so far"
  }

  /// A segment that a quick rewrite wrote, which says so in its header; closed.
  static let quick = GoldenStore(
    versions: [5, 7, 8, 9], name: "quick", compression: .none,
    records: [
      Record(key: "A", schemaVersion: 1, sequence: 1, payload: "first A"),
      Record(key: "B", schemaVersion: 1, sequence: 3, payload: "second B"),
    ]
  ) { log in
    try put(["A": "first A", "B": "first B"], 1, log)
    try log.sealActiveSegment()
    try put(["B": "second B"], 1, log)
    let first = try log.statistics().segments[0].identifier
    let rewrite = try log.beginRewrite(of: [first], effort: .quick)
    _ = try rewrite.carryOver()
    try rewrite.publish()
    try log.close()
  }

  static let all = [
    oneRecord, compacted, open, compressed, largeCommit, merged, dictionaries, quick, ranges,
  ]
  /// Those that every build writes byte for byte.
  static let reproducible = [oneRecord, compacted, open, largeCommit, merged, quick, ranges]

  private static func put(
    _ payloads: [String: String], _ schemaVersion: UInt64, _ log: Log,
    durability: Durability = .full
  ) throws {
    let batch = log.makeBatch()
    for (key, payload) in payloads.sorted(by: { $0.key < $1.key }) {
      try batch.put(
        [UInt8](key.utf8), in: people, schemaVersion: schemaVersion,
        payload: [UInt8](payload.utf8))
    }
    try log.commit(batch, durability: durability)
  }
}
