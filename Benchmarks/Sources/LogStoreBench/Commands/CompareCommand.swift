import ArgumentParser
import Foundation

/// Runs all engines through the workloads, prints a table, and keeps every measurement.
struct CompareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare", abstract: "Compares the engines and prints a table.")

  @Option(help: "How many records the stores hold.")
  var records = 1_000_000

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

  @Option(parsing: .upToNextOption, help: "The phases to run; later ones need the loaded store.")
  var phases = Phase.allCases

  @Option(help: "The folder in which the stores are made; they are removed afterwards.")
  var folder = NSTemporaryDirectory()

  @Option(help: "The file that every measurement is written to, one JSON object a line.")
  var output = "benchmark-results.jsonl"

  @Option(help: "Where the generated records and the random choices start.")
  var seed: UInt64 = 1

  func run() throws {
    let missing = engines.compactMap(\.reasonMissing)
    for reason in missing { print(reason) }
    let present = engines.filter { $0.reasonMissing == nil }
    let process = ProcessInfo.processInfo.processIdentifier
    let path = URL(filePath: folder).appending(path: "logstore-bench-\(process)")
      .path(percentEncoded: false)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    for line in Machine.description(folder: path) { print(line) }
    let recordFile = path + "/records"
    let keyKind = try writeRecords(to: recordFile)
    let file = try RecordFile(path: recordFile, keyKind: keyKind)
    print(
      "\(file.count) records, \(file.valueByteCount / file.count) bytes on average, "
        + "keys: \(keyKind.rawValue)")
    let comparison = Comparison(
      engines: present, phases: phases, repetitions: repetitions, secondsMaximum: seconds,
      folder: path, recordFile: recordFile, keyKind: keyKind, seed: seed,
      objectCount: objects)
    let measurements = try comparison.run { line in
      FileHandle.standardError.write(Data((line + "\n").utf8))
    }
    try write(measurements)
    print(ComparisonTable(results: Results(measurements, engines: present)).text)
  }

  private func writeRecords(to path: String) throws -> KeyKind {
    guard let input else {
      guard keys != .text else { throw ValidationError("text keys need --input") }
      try RecordFileWriter.writePersons(
        records, keyKind: keys, addedByteCount: stretch, seed: seed, to: path)
      return keys
    }
    guard let key else { throw ValidationError("--input needs --key, the member to look up by") }
    try LineFile.convert(input, keyMember: key, to: path)
    return .text
  }

  private func write(_ measurements: [Measurement]) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let lines = try measurements.map { String(decoding: try encoder.encode($0), as: UTF8.self) }
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: output))
  }
}
