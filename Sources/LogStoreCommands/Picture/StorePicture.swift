internal import LogStore
internal import ObjectStore
internal import SchemaRegistry

/// A page that shows what a store consists of; one text without anything from elsewhere.
struct StorePicture {
  private let name: String
  private let statistics: StoreStatistics
  private let schemaVersion: String
  private let samples: [PayloadSample]
  /// What types are called now.
  private let names: [TypeIdentity: String]
  /// The oldest first, by what they hold, not by when they were written; with their live objects by
  /// version.
  private let segments: [(statistics: SegmentStatistics, live: [UInt64: RecordTotals])]
  /// Bytes of all of them; at least 1.
  private let byteCount: UInt64
  /// Those that live objects have.
  private let versions: [UInt64]
  /// A colour for each version: neighbours differ.
  private let colours: [UInt64: String]

  private static let width = 920.0
  private static let outputCountMaximum = 100

  init(
    name: String, statistics: StoreStatistics, schemaVersion: String, types: [TypeShape],
    samples: [PayloadSample]
  ) {
    self.name = name
    self.statistics = statistics
    self.schemaVersion = schemaVersion
    self.samples = samples
    names = Dictionary(types.map { ($0.identity, $0.name) }, uniquingKeysWith: { $1 })
    let live = SegmentVersions(statistics)
    segments = statistics.log.segments.filter { $0.byteCount > 0 }
      .sorted { ($0.minimumSequence, $0.identifier) < ($1.minimumSequence, $1.identifier) }
      .map { (statistics: $0, live: live.totals(of: $0)) }
    byteCount = max(1, segments.reduce(0) { $0 &+ $1.statistics.byteCount })
    versions = Set(segments.flatMap(\.live.keys)).sorted()
    colours = Dictionary(
      uniqueKeysWithValues: versions.enumerated().map { place, version in
        (version, "hsl(\((200 + place * 67) % 360) 55% 50%)")
      })
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
    let typeCount = Set(statistics.types.map(\.collection)).count
    return "<p>\(GroupedNumber(statistics.objectCount)) objects of "
      + "\(typeCount) types under schema version \(schemaVersion), "
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

  private func colour(_ version: UInt64) -> String { colours[version] ?? "#9ca3af" }

  /// Draws each segment into its place.
  private func overSegments(
    _ label: String, height: Double,
    _ draw: (
      SegmentStatistics, _ live: [UInt64: RecordTotals], _ x: Double, _ width: Double
    ) -> String
  ) -> String {
    var text = PictureText.open(width: Self.width, height: height, label: label)
    var start: UInt64 = 0
    for (segment, live) in segments {
      let x = Double(start) / Double(byteCount) * Self.width
      let width = Double(segment.byteCount) / Double(byteCount) * Self.width
      let title =
        "segment \(segment.identifier): \(ByteCount(segment.byteCount)), "
        + "\(Int(segment.liveFraction * 100)) % live, "
        + "\(GroupedNumber(segment.recordCount)) records, "
        + "\(GroupedNumber(segment.tombstoneCount)) tombstones"
      text += "<g><title>\(title)</title>" + draw(segment, live, x, max(0.5, width - 1)) + "</g>\n"
      start += segment.byteCount
    }
    return text + "</svg>"
  }

  private var ageChart: String {
    overSegments("Segments by age and live part", height: 140) { segment, _, x, width in
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
    overSegments("Schema versions over segments", height: 90) { segment, live, x, width in
      var text = PictureText.rectangle(x, 0, width, 90, "#e5e7eb")
      var top = 90.0
      for (version, totals) in live.sorted(by: { $0.key < $1.key }) {
        let height = 90 * Double(totals.byteCount) / Double(max(1, segment.byteCount))
        top -= height
        text += PictureText.rectangle(x, top, width, height, colour(version))
      }
      return text
    }
  }

  private var space: String { PictureText.bars(spaceRows, width: Self.width) }

  /// What takes the bytes of the files, all of them.
  var spaceRows: [(name: String, byteCount: UInt64, colour: String)] {
    let log = statistics.log
    // A type has one collection, whatever its name was when records were written.
    var rows = Dictionary(grouping: statistics.types, by: \.collection).values.map { totals in
      (
        name: totals.last.map(currentName) ?? "",
        byteCount: totals.reduce(0) { $0 &+ $1.totals.byteCount }, colour: "#0d9488"
      )
    }.sorted { $0.name < $1.name }
    let stored = min(log.fileByteCount, log.byteCount)
    let live = min(stored, log.live.byteCount)
    let objects = rows.reduce(0) { $0 &+ $1.byteCount }
    rows += [
      ("indexes of members, catalog", live - min(live, objects), "#0f766e"),
      ("dead records and frames", stored - live, "#9ca3af"),
      ("indexes of keys and the rest", log.fileByteCount - stored, "#d4a373"),
    ]
    return rows
  }

  private func currentName(_ totals: StoreStatistics.TypeTotals) -> String {
    totals.identity.flatMap { names[$0] } ?? totals.type
  }

  private var compressionText: String {
    "Bytes of an object on average: as a line of JSON, of at most a thousand of each type, and as "
      + "it is stored, with its key and header."
  }

  private var compression: String {
    let rows = samples.map { sample in
      let failed =
        sample.failedCount > 0
        ? " (without \(sample.failedCount) objects whose upgrade fails)" : ""
      let part = sample.textByteCount.map { sample.storedByteCount / max(1, $0) * 100 }
      return [
        sample.type + failed, sample.textByteCount.map { "\(Int($0.rounded()))" } ?? "",
        "\(Int(sample.storedByteCount.rounded()))", part.map { "\(Int($0.rounded())) %" } ?? "",
      ]
    }
    return PictureText.table(["Type", "as JSON", "stored", "of it"], rows)
  }

  private var compactionText: String {
    Self.compactionText(count: statistics.log.segments.count { $0.stream == .compaction })
  }

  static func compactionText(count: Int) -> String {
    if count == 0 { return "No segment that is left was written by a compaction." }
    return "The segments that compactions left, the latest first"
      + (count > outputCountMaximum
        ? ": the newest \(outputCountMaximum) of \(GroupedNumber(UInt64(count)))." : ".")
  }

  private var compactions: String {
    let written = statistics.log.segments.filter { $0.stream == .compaction }
      .sorted { $0.identifier > $1.identifier }
    if written.isEmpty { return "" }
    let rows = written.prefix(Self.outputCountMaximum).map { segment in
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
