import Foundation
import ObjectStore
import StorageTestSupport
import Testing

@testable import LogStoreCommands

/// One flipped bit anywhere in a store: no command prints wrong data, traps or hangs.
@Suite struct FlippedStoreTests {
  struct Outcome {
    let status: Int32
    let output: String
    let errors: String
  }

  static func run(_ arguments: String...) -> Outcome {
    let output = MemoryOutput()
    let errors = MemoryOutput()
    let console = Console(output: output, errors: errors) { MemoryInput("") }
    let status = LogStoreCommand<HistoryFile>.execute(arguments, on: console)
    return Outcome(status: status, output: output.text, errors: errors.text)
  }

  /// A store of some segments, one of them compacted, made by the command itself.
  static func makeStore(in folder: String) throws -> String {
    let store = folder + "/store"
    let input = folder + "/input.jsonl"
    for part in 0..<3 {
      let lines = (part * 8..<part * 8 + 12).map { number in
        "{\"id\":\"key \(100 + number)\",\"text\":\"value \(number) of part \(part)\"}\n"
      }
      try lines.joined().write(toFile: input, atomically: true, encoding: .utf8)
      let imported = run("import", store, "--type", "Line", "--key", "id", "--infer", input)
      #expect(imported.status == 0, "\(imported.errors)")
      if part == 1 { #expect(run("compact", store).status == 0) }
    }
    return store
  }

  @Test("P6: a flipped bit in any byte of any file is reported, and never printed as data")
  func aFlippedBitIsReportedAndNeverPrinted() throws {
    let folder = try TemporaryDirectory()
    let store = try Self.makeStore(in: folder.path)
    let intact = Self.run("dump", store)
    #expect(intact.status == 0)
    #expect(Self.run("verify", store).status == 0)
    let got = Self.run("get", store, "Line", "key 110")
    #expect(got.status == 0)
    var flips = 0
    for files in try Self.files(in: store) {
      for position in 0..<(files.map(\.bytes.count).max() ?? 0) {
        let flipped = files.filter { $0.bytes.indices.contains(position) }
        flips += flipped.count
        for file in flipped { try file.flip(position) }
        let verified = Self.run("verify", store)
        let told = verified.output + verified.errors
        if verified.status != 2 || !flipped.allSatisfy({ told.contains($0.name) }) {
          Issue.record("byte \(position) of \(flipped.map(\.name)): verify ended with \(verified)")
        }
        for file in flipped { try file.mend(position) }
        // What reads may stop at the first that is wrong.
        guard position % 4 == 0 else { continue }
        for file in flipped {
          try file.flip(position)
          let place = "\(file.name), byte \(position)"
          Self.check(Self.run("dump", store), intact, place)
          if position % 8 == 0 {
            Self.check(Self.run("get", store, "Line", "key 110"), got, place)
            let shown = Self.run("stats", store)
            if ![0, 2].contains(shown.status) { Issue.record("\(place): stats \(shown)") }
          }
          try file.mend(position)
        }
      }
    }
    print("\(flips) flipped bits, each reported")
    #expect(flips > 2000)
  }

  /// A file of a store, as it was.
  private struct File {
    let name: String
    let bytes: Data
    let handle: FileHandle

    func flip(_ position: Int) throws {
      try write(bytes[position] ^ (1 << UInt8(position % 8)), at: position)
    }

    func mend(_ position: Int) throws { try write(bytes[position], at: position) }

    private func write(_ byte: UInt8, at position: Int) throws {
      try handle.seek(toOffset: UInt64(position))
      try handle.write(contentsOf: Data([byte]))
    }
  }

  /// The files of a store in groups of which one byte each may be wrong at a time: what is told of
  /// one segment is told of all.
  private static func files(in store: String) throws -> [[File]] {
    let names = try FileManager.default.contentsOfDirectory(atPath: store).sorted()
    // A reserve holds nothing that could be wrong.
    let files = try names.filter { !$0.hasPrefix("RESERVE") }.map { name in
      let url = URL(fileURLWithPath: store + "/" + name)
      return File(
        name: name, bytes: try Data(contentsOf: url), handle: try FileHandle(forUpdating: url))
    }
    let segments = files.filter { $0.name.hasSuffix(".log") }
    return [segments] + files.filter { !$0.name.hasSuffix(".log") }.map { [$0] }
  }

  /// Either all of the right output, or the first part of it and status 2.
  private static func check(_ found: Outcome, _ expected: Outcome, _ place: String) {
    let isRight =
      found.status == 0
      ? found.output == expected.output
      : found.status == 2 && expected.output.hasPrefix(found.output)
    if !isRight { Issue.record("\(place): \(found)") }
  }
}
