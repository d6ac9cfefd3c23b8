import FileIO
import Foundation
import StorageTestSupport
import Testing

@testable import LogStore

@Suite("A store can be read while another process writes it")
struct ReadingBesideTests {
  private static let rowCount = 20_000

  /// Rows with the keys 1, 2, 3, …
  private static func rows(_ numbers: Range<Int>) -> Data {
    let lines = numbers.map {
      "{\"id\":\"\(String(format: "%08d", $0 + 1))\",\"text\":\"line \($0) of the input\"}\n"
    }
    return Data(lines.joined().utf8)
  }

  private static func history(in directory: TemporaryDirectory) throws -> String {
    let path = "\(directory.path)/history.json"
    let text = """
      {"format": 1, "versions": [], "base": {"version": 0, "types": [
        {"name": "Line", "key": "id", "members": [
          {"name": "id", "type": "string"}, {"name": "text", "type": "string"}]}]}}
      """
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  /// The number in the last line "ACK n" so far.
  private static func acknowledged(_ path: String) throws -> Int {
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    return lines.dropLast().last.flatMap { Int($0.dropFirst(4)) } ?? 0
  }

  /// How many rows a log shows; they must be the first ones.
  private static func rows(_ log: Log) throws -> Int {
    let cursor = try log.snapshot().records(in: CollectionIdentifier(1))
    var count = 0
    while let (key, _) = try cursor.next() {
      count += 1
      guard key == [UInt8](String(format: "%08d", count).utf8) else {
        throw CaseFailure("row \(count) is missing")
      }
    }
    return count
  }

  @Test(
    "every reader sees a prefix with all that was acknowledged before it began",
    .enabled(if: ToolProcessTests.tool != nil))
  func readersSeePrefixes() throws {
    let directory = try TemporaryDirectory()
    let store = "\(directory.path)/store"
    let acknowledgements = "\(directory.path)/acks"
    try "".write(toFile: acknowledgements, atomically: false, encoding: .utf8)
    let output = try #require(FileHandle(forWritingAtPath: acknowledgements))
    let process = Process()
    process.executableURL = ToolProcessTests.tool
    process.arguments = [
      "import", store, "--type", "Line", "--key", "id", "--batch", "20", "--ack",
      "--history", try Self.history(in: directory),
    ]
    let input = Pipe()
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    defer { process.terminate() }
    var configuration = LogConfiguration()
    configuration.access = .readOnly
    var followed: Log?
    // The writer waits for more of its input while readers come.
    for start in stride(from: 0, to: Self.rowCount, by: 1000) {
      try input.fileHandleForWriting.write(contentsOf: Self.rows(start..<(start + 1000)))
      var promised = 0
      while promised == 0, process.isRunning {
        promised = try Self.acknowledged(acknowledgements)
      }
      let log = try Log.open(at: store, configuration: configuration)
      #expect(log.isBesideWriter)
      let found = try Self.rows(log)
      #expect(found >= promised)
      if followed == nil { followed = log }
      try followed?.refresh()
      if let followed { #expect(try Self.rows(followed) >= found) }
      if followed !== log { try log.close() }
    }
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    try followed?.refresh()
    if let followed { #expect(try Self.rows(followed) == Self.rowCount) }
  }
}
