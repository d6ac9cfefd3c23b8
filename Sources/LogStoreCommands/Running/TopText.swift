internal import LogStore
internal import ObjectStore

/// The segments of a store at one moment, those with the most dead bytes first.
struct TopText {
  let path: String
  let statistics: StoreStatistics
  /// What was seen one look earlier.
  let before: StoreStatistics?
  /// Seconds from that look to this one.
  let interval: Double
  let limit: Int

  private static let barWidth = 20

  private var segments: [SegmentStatistics] {
    statistics.log.segments.sorted { left, right in
      let dead = (left.deadByteCount, right.deadByteCount)
      return dead.0 == dead.1 ? left.identifier < right.identifier : dead.0 > dead.1
    }
  }

  private var deadByteCount: UInt64 { statistics.log.segments.reduce(0) { $0 + $1.deadByteCount } }

  var lines: [String] {
    let log = statistics.log
    var lines = [
      "\(path)  \(ByteCount(log.fileByteCount)) in \(log.segments.count) segments, "
        + "\(GroupedNumber(statistics.objectCount)) objects, \(ByteCount(deadByteCount)) dead, "
        + "sequence \(log.lastSequence)" + rate,
      "",
    ]
    var table = TextTable([
      ("Segment", .right), ("Stream", .left), ("Bytes", .right), ("Live", .right), ("", .left),
      ("Records", .right), ("Tombstones", .right), ("Versions", .left),
    ])
    for segment in segments.prefix(limit) {
      table.append([
        "\(segment.identifier)",
        segment.isActive ? "active" : segment.stream == .user ? "user" : "compaction",
        "\(ByteCount(segment.byteCount))", "\(Int(segment.liveFraction * 100)) %",
        Self.bar(segment.liveFraction), "\(GroupedNumber(segment.recordCount))",
        "\(GroupedNumber(segment.tombstoneCount))", Self.versions(segment),
      ])
    }
    lines += table.lines
    let hidden = segments.count - limit
    if hidden > 0 { lines.append("and \(hidden) more") }
    return lines
  }

  private var rate: String {
    guard let before, interval > 0 else { return "" }
    let records =
      statistics.log.lastSequence.rawValue
      - min(before.log.lastSequence.rawValue, statistics.log.lastSequence.rawValue)
    // Whatever the file says, the number is one.
    let rate = min(Double(records) / interval, Double(UInt64(1) << 62))
    return ", \(GroupedNumber(UInt64(rate))) records/s"
  }

  private static func bar(_ fraction: Double) -> String {
    let filled = Int(fraction * Double(barWidth))
    return String(repeating: "#", count: filled)
      + String(repeating: ".", count: barWidth - filled)
  }

  /// The part of the live records that each version has.
  private static func versions(_ segment: SegmentStatistics) -> String {
    var counts: [UInt64: UInt64] = [:]
    for (version, totals) in segment.liveByVersion where !version.collection.isReserved {
      counts[version.schemaVersion, default: 0] += totals.recordCount
    }
    let all = counts.values.reduce(0, +)
    return counts.sorted { $0.key < $1.key }
      .map { "v\($0.key) \($0.value * 100 / max(1, all)) %" }.joined(separator: ", ")
  }

  var report: Report {
    [
      "store": .text(path), "fileBytes": .count(statistics.log.fileByteCount),
      "objects": .count(statistics.objectCount), "deadBytes": .count(deadByteCount),
      "lastSequence": .count(statistics.log.lastSequence.rawValue),
      "segments": .reports(
        segments.map { segment in
          [
            "segment": .count(UInt64(segment.identifier.rawValue)),
            "bytes": .count(segment.byteCount), "liveBytes": .count(segment.live.byteCount),
            "records": .count(segment.recordCount), "active": .bool(segment.isActive),
            "versions": .text(Self.versions(segment)),
          ]
        }),
    ]
  }
}

extension SegmentStatistics {
  /// Bytes that a rewrite would give back.
  var deadByteCount: UInt64 { byteCount - min(byteCount, live.byteCount) }
}
