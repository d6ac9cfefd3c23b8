internal import FileIO
internal import LogStore
internal import ObjectStore
internal import SchemaRegistry

/// The statistics of a store for people and for programs.
struct StatisticsText {
  let path: String
  let store: Store
  let statistics: StoreStatistics
  let openDuration: Duration

  private var segments: [SegmentStatistics] { statistics.log.segments }
  private var deadCount: UInt64 { segments.reduce(0) { $0 + $1.deadRecordCount } }
  private var tombstoneCount: UInt64 { segments.reduce(0) { $0 + $1.tombstoneCount } }

  private var deadByteCount: UInt64 { segments.reduce(0) { $0 &+ $1.deadByteCount } }
  private var reserve: UInt64 { statistics.log.reserveByteCount }

  var lines: [String] {
    var lines = [
      "Store     \(path)",
      "Schema    version \(store.schemaVersion), oldest stored version "
        + (statistics.oldestVersion.map { "\($0)" } ?? "none"),
      "Objects   \(GroupedNumber(statistics.objectCount)) live; "
        + "\(GroupedNumber(deadCount)) dead records, \(GroupedNumber(tombstoneCount)) tombstones",
      "Size      \(ByteCount(statistics.log.fileByteCount)) in \(segments.count) "
        + (segments.count == 1 ? "segment" : "segments")
        + "; \(ByteCount(statistics.log.live.byteCount)) live, \(ByteCount(deadByteCount)) dead"
        + (reserve > 0 ? "; \(ByteCount(reserve)) held back for a full disk" : ""),
      "Opening   \(DurationText(openDuration)), "
        + "\(GroupedNumber(store.recoveryReport.replayedRecordCount)) records replayed",
    ]
    if let damage = store.recoveryReport.rebuiltManifest {
      lines.append("Manifest  rebuilt from the log: \(damage.reason)")
    }
    if !statistics.types.isEmpty { lines += [""] + typeLines }
    if !statistics.log.dictionaries.isEmpty { lines += [""] + dictionaryLines }
    if !segments.isEmpty { lines += [""] + segmentLines }
    return lines
  }

  private var typeLines: [String] {
    var table = TextTable([
      ("Type", .left), ("Version", .right), ("Objects", .right), ("Bytes", .right),
    ])
    for type in statistics.types {
      table.append([
        type.type, "\(type.version)", "\(GroupedNumber(type.totals.recordCount))",
        "\(ByteCount(type.totals.byteCount))",
      ])
    }
    return table.lines
  }

  private var dictionaryLines: [String] {
    var table = TextTable([
      ("Dictionary", .left), ("Collection", .right), ("Version", .right), ("Bytes", .right),
      ("Records", .right), ("Stored", .right), ("", .left),
    ])
    for dictionary in statistics.log.dictionaries {
      table.append([
        "\(dictionary.identifier)", dictionary.version.map { "\($0.collection)" } ?? "",
        dictionary.version.map { "\($0.schemaVersion)" } ?? "",
        "\(ByteCount(UInt64(dictionary.byteCount)))",
        "\(GroupedNumber(dictionary.recordCount))",
        dictionary.storedFraction.map { "\(Int(($0 * 100).rounded())) %" } ?? "",
        dictionary.isLost ? "lost" : dictionary.isNewest ? "newest" : "",
      ])
    }
    return table.lines
  }

  private var segmentLines: [String] {
    var table = TextTable([
      ("Segment", .left), ("Bytes", .right), ("Records", .right), ("Live", .right),
      ("Dead", .right), ("Tombstones", .right), ("", .left),
    ])
    for segment in segments {
      table.append([
        fileName(of: segment), "\(ByteCount(segment.byteCount))",
        "\(GroupedNumber(segment.recordCount))", "\(GroupedNumber(segment.live.recordCount))",
        "\(GroupedNumber(segment.deadRecordCount))", "\(GroupedNumber(segment.tombstoneCount))",
        segment.isActive ? "active" : "sealed",
      ])
    }
    return table.lines
  }

  private func fileName(of segment: SegmentStatistics) -> String {
    StoreDirectory.segment(segment.identifier).description
  }

  var report: Report {
    [
      "store": .text(path), "schemaVersion": .count(store.schemaVersion.rawValue),
      "oldestStoredVersion": statistics.oldestVersion.map { .count($0.rawValue) } ?? .null,
      "objects": .count(statistics.objectCount), "deadRecords": .count(deadCount),
      "tombstones": .count(tombstoneCount), "fileBytes": .count(statistics.log.fileByteCount),
      "reserveBytes": .count(reserve),
      "liveBytes": .count(statistics.log.live.byteCount), "deadBytes": .count(deadByteCount),
      "openSeconds": .seconds(openDuration),
      "replayedRecords": .count(store.recoveryReport.replayedRecordCount),
      "manifestDamage": store.recoveryReport.manifestDamage,
      "types": .reports(
        statistics.types.map { type in
          [
            "type": .text(type.type), "version": .count(type.version.rawValue),
            "objects": .count(type.totals.recordCount), "bytes": .count(type.totals.byteCount),
          ]
        }),
      "dictionaries": .reports(statistics.log.dictionaries.map(report)),
      "segments": .reports(segments.map(report)),
    ]
  }

  private func report(_ dictionary: DictionaryStatistics) -> Report {
    [
      "dictionary": .count(UInt64(dictionary.identifier.rawValue)),
      "collection": dictionary.version.map { .count(UInt64($0.collection.rawValue)) } ?? .null,
      "version": dictionary.version.map { .count($0.schemaVersion) } ?? .null,
      "bytes": .count(UInt64(dictionary.byteCount)), "records": .count(dictionary.recordCount),
      "rawBytes": .count(dictionary.rawByteCount),
      "storedBytes": .count(dictionary.storedByteCount), "newest": .bool(dictionary.isNewest),
      "lost": .bool(dictionary.isLost),
    ]
  }

  private func report(_ segment: SegmentStatistics) -> Report {
    [
      "file": .text(fileName(of: segment)), "bytes": .count(segment.byteCount),
      "records": .count(segment.recordCount), "live": .count(segment.live.recordCount),
      "liveBytes": .count(segment.live.byteCount), "dead": .count(segment.deadRecordCount),
      "tombstones": .count(segment.tombstoneCount), "active": .bool(segment.isActive),
    ]
  }
}
