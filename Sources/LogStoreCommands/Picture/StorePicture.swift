internal import LogStore
internal import ObjectStore

/// A page that shows what a store consists of; one text without anything from elsewhere.
struct StorePicture {
  let name: String
  let statistics: StoreStatistics
  let schemaVersion: String
  let samples: [PayloadSample]

  private static let width = 920.0

  /// The oldest first, by what they hold, not by when they were written.
  private var segments: [SegmentStatistics] {
    statistics.log.segments.filter { $0.byteCount > 0 }
      .sorted { ($0.minimumSequence, $0.identifier) < ($1.minimumSequence, $1.identifier) }
  }

  private var byteCount: UInt64 { max(1, segments.reduce(0) { $0 + $1.byteCount }) }

  private var versions: [UInt64] {
    Set(
      segments.flatMap { $0.liveByVersion.keys.filter { !$0.collection.isReserved } }
        .map(\.schemaVersion)
    ).sorted()
  }

  var html: String {
    var page = """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(PictureText.escaped(name))</title>
      <style>
      body { font: 15px/1.5 system-ui, sans-serif; max-width: 960px; margin: 2em auto;
        padding: 0 1em; color: #1f2937; background: #fff; }
      h1 { font-size: 1.6em; } h2 { font-size: 1.15em; margin: 2em 0 0.3em; }
      p { margin: 0.3em 0; color: #4b5563; } svg { width: 100%; height: auto; display: block; }
      table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
      th, td { text-align: right; padding: 0.25em 0.6em; border-bottom: 1px solid #e5e7eb; }
      th:first-child, td:first-child { text-align: left; }
      .key { display: inline-block; width: 0.8em; height: 0.8em; border-radius: 2px;
        margin: 0 0.3em 0 1em; }
      </style></head><body>

      """
    page += "<h1>\(PictureText.escaped(name))</h1>\n" + summary
    page += section("Segments by age and live part", ageText, ageChart)
    page += section("Schema versions over segments", versionText, versionChart)
    page += section("Space by type", "Live records, dead ones, and indexes with the rest.", space)
    page += section("Compression", compressionText, compression)
    page += section("What compaction wrote", compactionText, compactions)
    return page + "</body></html>\n"
  }

  private func section(_ title: String, _ text: String, _ body: String) -> String {
    "<h2>\(title)</h2>\n<p>\(text)</p>\n\(body)\n"
  }

  private var summary: String {
    let log = statistics.log
    return "<p>\(GroupedNumber(statistics.objectCount)) objects of "
      + "\(Set(statistics.types.map(\.type)).count) types under schema version \(schemaVersion), "
      + "\(ByteCount(log.fileByteCount)) in \(log.segments.count) segments and "
      + "\(log.runs.count) merged indexes; last sequence \(log.lastSequence).</p>\n"
  }

  private var ageText: String {
    "Left is old. A bar is as wide as its segment is large; what is filled is live."
      + Self.key("#0d9488", "commits") + Self.key("#c2410c", "compaction")
      + Self.key("#7c3aed", "active")
  }

  private static func key(_ colour: String, _ text: String) -> String {
    "<span class=\"key\" style=\"background:\(colour)\"></span>\(text)"
  }

  private static func colour(_ segment: SegmentStatistics) -> String {
    segment.isActive ? "#7c3aed" : segment.stream == .compaction ? "#c2410c" : "#0d9488"
  }

  /// A colour for each version: neighbours differ.
  private func colour(_ version: UInt64) -> String {
    let place = versions.firstIndex(of: version) ?? 0
    return "hsl(\((200 + place * 67) % 360) 55% 50%)"
  }

  /// Draws each segment into its place.
  private func overSegments(
    _ label: String, height: Double,
    _ draw: (SegmentStatistics, _ x: Double, _ width: Double) -> String
  ) -> String {
    var text = PictureText.open(width: Self.width, height: height, label: label)
    var start: UInt64 = 0
    for segment in segments {
      let x = Double(start) / Double(byteCount) * Self.width
      let width = Double(segment.byteCount) / Double(byteCount) * Self.width
      let title =
        "segment \(segment.identifier): \(ByteCount(segment.byteCount)), "
        + "\(Int(segment.liveFraction * 100)) % live, "
        + "\(GroupedNumber(segment.recordCount)) records, "
        + "\(GroupedNumber(segment.tombstoneCount)) tombstones"
      text += "<g><title>\(title)</title>" + draw(segment, x, max(0.5, width - 1)) + "</g>\n"
      start += segment.byteCount
    }
    return text + "</svg>"
  }

  private var ageChart: String {
    overSegments("Segments by age and live part", height: 140) { segment, x, width in
      let live = 140 * segment.liveFraction
      return PictureText.rectangle(x, 0, width, 140, "#e5e7eb")
        + PictureText.rectangle(x, 140 - live, width, live, Self.colour(segment))
    }
  }

  private var versionText: String {
    versions.isEmpty
      ? "No object is live."
      : "The live part of each segment by the version its records were written under."
        + versions.map { Self.key(colour($0), "version \($0)") }.joined()
  }

  private var versionChart: String {
    overSegments("Schema versions over segments", height: 90) { segment, x, width in
      var text = PictureText.rectangle(x, 0, width, 90, "#e5e7eb")
      var top = 90.0
      for version in versions {
        let bytes = segment.liveByVersion.filter {
          $0.key.schemaVersion == version && !$0.key.collection.isReserved
        }.values.reduce(0) { $0 + $1.byteCount }
        let height = 90 * Double(bytes) / Double(max(1, segment.byteCount))
        top -= height
        text += PictureText.rectangle(x, top, width, height, colour(version))
      }
      return text
    }
  }

  private var space: String {
    let log = statistics.log
    var rows: [(name: String, byteCount: UInt64, colour: String)] = []
    for (type, totals) in Dictionary(grouping: statistics.types, by: \.type).sorted(by: {
      $0.key < $1.key
    }) {
      let bytes = totals.reduce(0) { $0 + $1.totals.byteCount }
      rows.append((type, bytes, "#0d9488"))
    }
    let live = min(log.byteCount, log.live.byteCount)
    rows.append(("dead records and frames", log.byteCount - live, "#9ca3af"))
    rows.append(
      ("indexes and the rest", log.fileByteCount - min(log.fileByteCount, log.byteCount), "#d4a373")
    )
    return PictureText.bars(rows, width: Self.width)
  }

  private var compressionText: String {
    "Bytes of an object on average: as a line of JSON, of at most a thousand of each type, and as "
      + "it is stored, with its key and header."
  }

  private var compression: String {
    let rows = samples.map { sample in
      [
        sample.type, "\(Int(sample.textByteCount.rounded()))",
        "\(Int(sample.storedByteCount.rounded()))",
        "\(Int((sample.storedByteCount / max(1, sample.textByteCount) * 100).rounded())) %",
      ]
    }
    return PictureText.table(["Type", "as JSON", "stored", "of it"], rows)
  }

  private var compactionText: String {
    statistics.log.segments.contains { $0.stream == .compaction }
      ? "The segments that compactions left, the latest first."
      : "No segment that is left was written by a compaction."
  }

  private var compactions: String {
    let written = statistics.log.segments.filter { $0.stream == .compaction }
      .sorted { $0.identifier > $1.identifier }
    if written.isEmpty { return "" }
    let rows = written.prefix(100).map { segment in
      [
        "\(segment.identifier)", "\(ByteCount(segment.byteCount))",
        "\(GroupedNumber(segment.recordCount))", "\(Int(segment.liveFraction * 100)) %",
        "\(GroupedNumber(segment.minimumSequence.rawValue)) – "
          + "\(GroupedNumber(segment.maximumSequence.rawValue))",
      ]
    }
    return PictureText.table(["Segment", "Bytes", "Records", "Live", "Sequences"], Array(rows))
  }
}
