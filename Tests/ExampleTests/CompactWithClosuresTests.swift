import FileIO
import Foundation
import StorageTestSupport
import Testing

@testable import CompactWithClosures
@testable import LogStoreCommands

@Suite("An app's own tool upgrades what a history file cannot")
struct CompactWithClosuresTests {
  final class Collected: ByteOutput {
    let name = "memory"
    private(set) var text = ""
    func write(_ bytes: UnsafeRawBufferPointer) throws(FileIOError) {
      text += String(decoding: bytes, as: UTF8.self)
    }
  }

  private func run<History: HistoryProvider>(
    _ history: History.Type, _ arguments: String...
  ) -> (status: Int32, output: String) {
    let output = Collected()
    let console = Console(output: output, errors: Collected()) {
      DescriptorInput.standardInput()
    }
    let status = LogStoreCommand<History>.execute(arguments, on: console)
    return (status, output.text)
  }

  @Test("Objects of version 0 are read in the new shape, and compacted to it")
  func compacts() throws {
    let directory = try TemporaryDirectory()
    let store = directory.path + "/people"
    let input = directory.path + "/people.jsonl"
    try "{\"id\":\"1\",\"name\":\"Ada Lovelace\"}\n".write(
      toFile: input, atomically: true, encoding: .utf8)
    let imported = run(
      HistoryFile.self, "import", store, "--type", "Person", "--key", "id", "--infer", input)
    #expect(imported.status == 0)
    let upgraded = "{\"id\":\"1\",\"initials\":\"AL\",\"name\":\"Ada Lovelace\"}\n"
    #expect(run(PeopleHistory.self, "dump", store).output == upgraded)
    #expect(run(HistoryFile.self, "dump", store).output != upgraded)
    let compacted = run(PeopleHistory.self, "compact", store)
    #expect(compacted.status == 0)
    #expect(compacted.output.contains("1 upgraded, 0 kept"))
    #expect(run(HistoryFile.self, "dump", store).output == upgraded)
  }
}
