import ArgumentParser
import Foundation

/// Runs all engines through the workloads, prints tables, and keeps every measurement.
struct CompareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare", abstract: "Compares the engines and prints tables.")

  @Option(help: "How many records the stores hold.")
  var records = 1_000_000

  @Option(
    parsing: .upToNextOption,
    help: """
      Other numbers of records, for which loading, opening, reading, overwriting, compacting and \
      the migration of as many objects are run too, as far as these are among the phases.
      """)
  var scales: [Int] = []

  @Option(help: "How many objects the stores of typed objects hold.")
  var objects = 200_000

  @Option(help: "What the keys of generated records are: integer or uuid.")
  var keys = KeyKind.integer

  @Option(help: "Bytes by which generated records are longer: 820 makes them about a KiB.")
  var stretch = 0

  @Option(help: "A file of JSON objects, one a line, to use in place of generated records.")
  var input: String?

  @Option(help: "The member of those objects that is their key.")
  var key: String?

  @Option(help: "How often each phase is repeated.")
  var repetitions = 3

  @Option(help: "The longest that writing single records may take, in seconds.")
  var seconds = 3.0

  @Option(parsing: .upToNextOption, help: "The engines to compare; all that are installed.")
  var engines = EngineKind.allCases

  @Option(parsing: .upToNextOption, help: "The phases to run; most need the store of load.")
  var phases = Phase.selectable

  @Option(help: "The folder in which the stores are made; they are removed afterwards.")
  var folder = NSTemporaryDirectory()

  @Option(help: "The file that every measurement is written to, one JSON object a line.")
  var output = "benchmark-results.jsonl"

  @Option(help: "The page to write.")
  var html: String?

  @Option(help: "The folder for the plots against the number of records, as SVG files.")
  var plots: String?

  @Option(help: "Where the generated records and the random choices start.")
  var seed: UInt64 = 1

  func run() throws {
    let present = engines.filter { $0.reasonMissing == nil }
    let process = ProcessInfo.processInfo.processIdentifier
    let path = URL(filePath: folder).appending(path: "logstore-bench-\(process)")
      .path(percentEncoded: false)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let recordFile = path + "/records"
    let file = try writeRecords(records, to: recordFile)
    var description = RunDescription(
      date: Date.now.formatted(.iso8601), machine: Machine.description(folder: path),
      versions: try EngineVersions.lines(of: present, folder: path),
      missing: engines.compactMap(\.reasonMissing),
      records: "\(file.count) records, \(file.valueByteCount / file.count) bytes on average, "
        + "keys: \(file.keyKind.rawValue); \(objects) objects",
      engines: present)
    for line in description.lines { print(line) }
    var share = CoreShare()
    var measurements = try compare(
      file, recordFile, present, phases, objectCount: objects, in: path, &share)
    for count in scales where input == nil {
      let file = try writeRecords(count, to: recordFile)
      measurements += try compare(
        file, recordFile, present.filter { !$0.isVariant }, phases.filter(\.isScaled),
        objectCount: count, in: path, &share)
    }
    description.coreShare = share.line
    if let line = share.line { print(line) }
    let run = RunFile(description: description, measurements: measurements)
    try run.write(to: output)
    print(ComparisonTable(results: run.results).text)
    if let html { try Data(HTMLReport(run: run).html.utf8).write(to: URL(filePath: html)) }
    if let plots { try PlotFiles.write(run, to: plots) }
  }

  private func compare(
    _ file: RecordFile, _ recordFile: String, _ engines: [EngineKind], _ phases: [Phase],
    objectCount: Int, in path: String, _ share: inout CoreShare
  ) throws -> [Measurement] {
    let comparison = Comparison(
      engines: engines, phases: phases, repetitions: repetitions, secondsMaximum: seconds,
      folder: path, recordFile: recordFile, keyKind: file.keyKind, seed: seed,
      objectCount: objectCount, recordCount: file.count)
    return try comparison.run(share: &share) { line in
      FileHandle.standardError.write(Data("\(file.count) records, \(line)\n".utf8))
    }
  }

  private func writeRecords(_ count: Int, to path: String) throws -> RecordFile {
    guard let input else {
      guard keys != .text else { throw ValidationError("text keys need --input") }
      try RecordFileWriter.writePersons(
        count, keyKind: keys, addedByteCount: stretch, seed: seed, to: path)
      return try RecordFile(path: path, keyKind: keys)
    }
    guard let key else { throw ValidationError("--input needs --key, the member to look up by") }
    try LineFile.convert(input, keyMember: key, to: path)
    return try RecordFile(path: path, keyKind: .text)
  }
}
