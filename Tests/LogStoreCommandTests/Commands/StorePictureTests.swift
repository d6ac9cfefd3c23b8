import Foundation
import LogStore
import ObjectStore
import SchemaRegistry
import StorageTestSupport
import Testing

@testable import LogStoreCommands

@Suite("What top and report say of types, versions and bytes is what the store has")
struct StorePictureTests {
  let bench: CommandBench

  init() throws { bench = try CommandBench() }

  private static let history = SchemaHistory {
    Base(1) {
      Type("Note", key: "id") {
        Field("id", .int64)
        Field("text", .string)
      }
    }
  }

  /// A store with an index of a member, whose records have no version.
  private func makeNotes() throws {
    let store = try Store.open(at: bench.store, models: [Note.self], history: Self.history)
    try store.write { transaction in
      for number in 0..<300 { try transaction.put(Note(id: number, text: "text \(number)")) }
    }
    try store.close()
  }

  private func page(_ arguments: String...) throws -> String {
    let page = bench.directory.path + "/page.html"
    let outcome = bench.run(["report", bench.store, "--html", page] + arguments)
    #expect(outcome.status == 0, "\(outcome.errors)")
    return try String(contentsOfFile: page, encoding: .utf8)
  }

  private static func list(_ value: ImportValue?) throws -> [ImportValue] {
    guard case .list(let elements)? = value else {
      Issue.record("\(String(describing: value)) is no list")
      return []
    }
    return elements
  }

  private func picture() throws -> (picture: StorePicture, log: LogStatistics) {
    let store = try Store.open(at: bench.store, history: nil, configuration: .inspection)
    let statistics = try store.statistics()
    let picture = StorePicture(
      name: "store", statistics: statistics, schemaVersion: "\(store.schemaVersion)",
      types: store.sortedTypes, samples: try PayloadSample.all(of: store))
    return (picture, statistics.log)
  }

  @Test("Records of indexes are no objects of a version 0")
  func indexVersions() throws {
    try makeNotes()
    let report = try bench.run("top STORE --count 1 --json").report()
    for segment in try Self.list(report["segments"]) {
      let versions = try Self.list(segment["versions"])
      #expect(versions.count == 1)
      #expect(versions.first?["version"] == .integer(1))
      #expect(versions.first?["objects"] == .integer(300))
    }
    #expect(bench.run("top STORE --count 1").output.contains("  v1 100 %\n"))
    let page = try page()
    #expect(page.contains("version 1"))
    #expect(!page.contains("version 0"))
  }

  @Test("The rows of what takes space sum up to the files, those of indexes with them")
  func space() throws {
    try makeNotes()
    let (picture, log) = try picture()
    #expect(picture.spaceRows.reduce(0) { $0 + $1.byteCount } == log.fileByteCount)
    let indexes = picture.spaceRows.first { $0.name.hasPrefix("indexes of members") }
    #expect((indexes?.byteCount ?? 0) > 300 * 10)
  }

  @Test("A renamed type is one type under its new name, with the records of before")
  func renamedType() throws {
    bench.makeReadings(count: 50)
    let members = #"[{"name":"id","type":"int64"},{"name":"text","type":"string"}]"#
    let path = try bench.file(
      "renamed.json",
      #"{"format":1,"base":{"version":0,"types":[{"name":"Reading","key":"id","members":"#
        + members
        + #"}]},"versions":[{"version":1,"changes":[{"renameType":"Reading","to":"Measure"}]}]}"#)
    let text = try page("--history", path)
    #expect(!text.contains("Reading"))
    #expect(text.contains("<td>Measure</td>"))
    // Some of both names, which are one type all the same.
    let imported = bench.run(
      "import STORE --type Measure --history \(path)", input: "{\"id\":7,\"text\":\"new\"}\n")
    #expect(imported.status == 0, "\(imported.errors)")
    let mixed = try page()
    #expect(mixed.contains("50 objects of 1 types"))
    #expect(mixed.components(separatedBy: ">Measure</text>").count == 2)
  }

  @Test("A failing upgrade neither ends the sample of its type, nor is passed over in silence")
  func failingUpgrade() throws {
    bench.makeReadings(count: 50) { $0 == 0 ? "broken" : "\($0)" }
    let text = try page("--history", try bench.history(CommandBench.conversion))
    #expect(text.contains("<td>Reading (without 1 objects whose upgrade fails)</td><td>1"))
  }

  @Test("top shows the segment that is written last, and keeps to its limit in JSON, too")
  func segmentOrder() throws {
    for _ in 0..<3 { bench.makeReadings(count: 100) }
    var configuration = StoreConfiguration.maintenance
    configuration.log.access = .readWrite
    let writer = try Store.open(at: bench.store, configuration: configuration)
    // More of it is dead than of any other segment.
    for _ in 0..<20 {
      try writer.write { transaction in
        for number in 0..<100 {
          try transaction.put([.int(Int64(number)), .string("again")], ofType: "Reading")
        }
      }
    }
    let report = try bench.run("top STORE --count 1 --json").report()
    let segments = try Self.list(report["segments"])
    #expect(segments.count > 2)
    #expect(segments.map { $0["active"] == .bool(true) }.firstIndex(of: true) == segments.count - 1)
    #expect(report["segmentCount"] == .count(segments.count))
    let limited = try bench.run("top STORE --count 1 --limit 2 --json").report()
    #expect(try Self.list(limited["segments"]) == Array(segments.prefix(2)))
    #expect(limited["segmentCount"] == .count(segments.count))
    let text = bench.run("top STORE --count 1 --limit 2")
    #expect(text.lines.last == "and \(segments.count - 2) more")
    try writer.close()
  }

  @Test("A page that leaves out what compactions left says so")
  func manyOutputs() {
    #expect(StorePicture.compactionText(count: 0).hasPrefix("No segment"))
    #expect(StorePicture.compactionText(count: 100).hasSuffix("left, the latest first."))
    #expect(
      StorePicture.compactionText(count: 1234)
        .hasSuffix("left, the latest first: the newest 100 of 1,234."))
  }
}
