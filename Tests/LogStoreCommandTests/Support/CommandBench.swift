import FileIO
import Foundation
import StorageTestSupport
import Testing

@testable import LogStoreCommands

/// A temporary directory in which the command is run, in this process.
struct CommandBench {
  /// What a run of the command left behind.
  struct Outcome {
    let status: Int32
    let output: String
    let errors: String

    /// The lines of standard output.
    var lines: [String] { output.split(separator: "\n").map(String.init) }

    /// Standard output, which must be one JSON object.
    func report() throws -> ImportValue { try json(output) }
    /// Standard error, which must be one JSON object.
    func error() throws -> ImportValue { try json(errors) }
  }

  let directory: TemporaryDirectory
  /// Where the store is, or will be.
  var store: String { directory.path + "/store" }

  init() throws { directory = try TemporaryDirectory() }

  /// Runs the command with `input` as its standard input.
  @discardableResult
  func run(_ arguments: [String], input: String = "") -> Outcome {
    run(arguments, input: input, output: MemoryOutput())
  }

  /// Runs the command on an output of the test's own.
  func run(_ arguments: [String], input: String = "", output: MemoryOutput) -> Outcome {
    let errors = MemoryOutput()
    let console = Console(output: output, errors: errors) {
      MemoryInput(input, partByteCount: 1000)
    }
    let status = LogStoreCommand<HistoryFile>.execute(arguments, on: console)
    return Outcome(status: status, output: output.text, errors: errors.text)
  }

  /// Runs the command with its words in one text; `STORE` stands for the store.
  @discardableResult
  func run(_ line: String, input: String = "") -> Outcome {
    run(words(line), input: input)
  }

  /// The words of a command line.
  func words(_ line: String) -> [String] {
    line.split(separator: " ").map { $0 == "STORE" ? store : String($0) }
  }

  /// Writes a file and returns its path.
  func file(_ name: String, _ text: String) throws -> String {
    let path = directory.path + "/" + name
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  /// A store of `count` objects of type `Reading`, with the numbers 0, 10, 20 … as text.
  func makeReadings(count: Int = 20, _ text: (Int) -> String = { "\($0 * 10)" }) {
    let lines = (0..<count).map { "{\"id\":\($0),\"text\":\"\(text($0))\"}\n" }.joined()
    let outcome = run("import STORE --type Reading --key id --infer", input: lines)
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  /// A history file of `Reading` with one version after the base; `operations` is JSON.
  func history(_ operations: String) throws -> String {
    let members = #"[{"name":"id","type":"int64"},{"name":"text","type":"string"}]"#
    let base = #"{"version":0,"types":[{"name":"Reading","key":"id","members":\#(members)}]}"#
    let version =
      operations.isEmpty
      ? "" : #"{"version":1,"changes":[{"on":"Reading","operations":[\#(operations)]}]}"#
    let name = "history-\(operations.utf8.count).json"
    return try file(name, #"{"format":1,"base":\#(base),"versions":[\#(version)]}"#)
  }

  /// Makes `text` an integer; fails for text that is none.
  static let conversion =
    #"{"convert":"text","to":"int64","expression":{"parseInteger":{"member":"text"}}}"#
  /// The same, corrected: text that is no number becomes −1.
  static let correctedConversion =
    #"{"convert":"text","to":"int64","expression":{"orElse":{"of":{"parseInteger":"#
    + #"{"member":"text"}},"else":{"constant":{"type":"int64","value":-1}}}}}"#

  /// The bytes of every file of the store by name.
  func contents() throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: store) {
      contents[name] = try Data(contentsOf: URL(fileURLWithPath: store + "/" + name))
    }
    return contents
  }

  /// Replaces the bytes of a file of the store.
  func write(_ bytes: Data, to name: String) throws {
    try bytes.write(to: URL(fileURLWithPath: store + "/" + name))
  }
}
