internal import LogStore
internal import ObjectStore

/// The segments of a store at one moment, those with the most dead bytes first; the one that is
/// written comes last, for compaction cannot take it.
struct TopText {
  private let path: String
  private let statistics: StoreStatistics
  /// Records that were written in a second since the look before; nothing at the first one.
  private let rate: UInt64?
  /// Those that are shown.
  private let segments: [SegmentStatistics]
  private let versions: SegmentVersions

  private static let barWidth = 20

  /// What `statistics` say, of `limit` segments at most; `before` was seen `interval` seconds
  /// earlier.
  init(
    path: String, statistics: StoreStatistics, before: StoreStatistics?, interval: Double,
    limit: Int
  ) {
    self.path = path
    self.statistics = statistics
    rate = before.flatMap { Self.rate(from: $0, to: statistics, interval) }
    segments = Array(statistics.log.segments.sorted(by: Self.precedes).prefix(limit))
    versions = SegmentVersions(statistics)
  }

  private static func precedes(_ left: SegmentStatistics, _ right: SegmentStatistics) -> Bool {
    if left.isActive != right.isActive { return right.isActive }
    let dead = (left.deadByteCount, right.deadByteCount)
    return dead.0 == dead.1 ? left.identifier < right.identifier : dead.0 > dead.1
  }

  private static func rate(
    from before: StoreStatistics, to statistics: StoreStatistics, _ interval: Double
  ) -> UInt64? {
    guard interval > 0 else { return nil }
    let last = statistics.log.lastSequence.rawValue
    let records = last - min(before.log.lastSequence.rawValue, last)
    // Whatever the file says, the number is one.
    return UInt64(min(Double(records) / interval, Double(UInt64(1) << 62)))
  }

  private var deadByteCount: UInt64 { statistics.log.segments.reduce(0) { $0 + $1.deadByteCount } }

  var lines: [String] {
    let log = statistics.log
    var lines = [
      "\(path)  \(ByteCount(log.fileByteCount)) in \(log.segments.count) segments, "
        + "\(GroupedNumber(statistics.objectCount)) objects, \(ByteCount(deadByteCount)) dead, "
        + "sequence \(log.lastSequence)" + (rate.map { ", \(GroupedNumber($0)) records/s" } ?? ""),
      "",
    ]
    var table = TextTable([
      ("Segment", .right), ("Stream", .left), ("Bytes", .right), ("Live", .right), ("", .left),
      ("Records", .right), ("Tombstones", .right), ("Versions", .left),
    ])
    for segment in segments {
      table.append([
        "\(segment.identifier)",
        segment.isActive ? "active" : segment.stream == .user ? "user" : "compaction",
        "\(ByteCount(segment.byteCount))", "\(Int(segment.liveFraction * 100)) %",
        Self.bar(segment.liveFraction), "\(GroupedNumber(segment.recordCount))",
        "\(GroupedNumber(segment.tombstoneCount))", versionText(segment),
      ])
    }
    lines += table.lines
    let hidden = log.segments.count - segments.count
    if hidden > 0 { lines.append("and \(hidden) more") }
    return lines
  }

  private static func bar(_ fraction: Double) -> String {
    let filled = Int(fraction * Double(barWidth))
    return String(repeating: "#", count: filled)
      + String(repeating: ".", count: barWidth - filled)
  }

  /// The part of the live objects that each version has.
  private func versionText(_ segment: SegmentStatistics) -> String {
    let totals = versions.totals(of: segment)
    let all = totals.values.reduce(0) { $0 + Double($1.recordCount) }
    return totals.sorted { $0.key < $1.key }
      .map { "v\($0.key) \(Int(Double($0.value.recordCount) * 100 / max(1, all))) %" }
      .joined(separator: ", ")
  }

  var report: Report {
    [
      "store": .text(path), "fileBytes": .count(statistics.log.fileByteCount),
      "objects": .count(statistics.objectCount), "deadBytes": .count(deadByteCount),
      "lastSequence": .count(statistics.log.lastSequence.rawValue),
      "manifestDamage": statistics.log.recovery.manifestDamage,
      "recordsPerSecond": rate.map { .count($0) } ?? .null,
      "segmentCount": .count(statistics.log.segments.count),
      "segments": .reports(segments.map(report)),
    ]
  }

  private func report(_ segment: SegmentStatistics) -> Report {
    [
      "segment": .count(UInt64(segment.identifier.rawValue)),
      "bytes": .count(segment.byteCount), "liveBytes": .count(segment.live.byteCount),
      "deadBytes": .count(segment.deadByteCount), "records": .count(segment.recordCount),
      "tombstones": .count(segment.tombstoneCount), "active": .bool(segment.isActive),
      "versions": .reports(
        versions.totals(of: segment).sorted { $0.key < $1.key }.map { version, totals in
          [
            "version": .count(version), "objects": .count(totals.recordCount),
            "bytes": .count(totals.byteCount),
          ]
        }),
    ]
  }
}
