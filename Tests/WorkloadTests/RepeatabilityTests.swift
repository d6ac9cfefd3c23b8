import FileIO
import Foundation
import StorageTestSupport
import Testing

@testable import WorkloadProcess

@Suite struct RepeatabilityTests {
  @Test("P25: the same operations give the same bytes, 200 seeds twice in one process")
  func sameBytesInOneProcess() throws {
    try withEvery(UInt64(0)..<200) { seed in
      let parts = seed % 8 == 0 ? RepeatableRun.allParts : [.log]
      let first = try Self.filesInMemory(seed: seed, parts)
      try check(first.count > 2, "only \(first.count) files were written")
      try Self.checkEqual(first, try Self.filesInMemory(seed: seed, parts))
    }
  }

  @Test("P25: another seed gives other bytes")
  func otherSeedsGiveOtherBytes() throws {
    #expect(try Self.filesInMemory(seed: 1) != Self.filesInMemory(seed: 2))
  }

  /// The executable beside the test bundle; nothing where it was built elsewhere.
  static let tool: URL? = {
    let folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    let tool = folder.appendingPathComponent("WorkloadProcess")
    return FileManager.default.isExecutableFile(atPath: tool.path) ? tool : nil
  }()

  @Test(
    "P25: two processes, which order sets in two ways, write the same bytes",
    .enabled(if: tool != nil), arguments: [UInt64(11), 12, 13])
  func sameBytesInTwoProcesses(seed: UInt64) throws {
    let first = try Self.filesOfProcess(seed: seed)
    #expect(first.count > 2)
    try Self.checkEqual(first, try Self.filesOfProcess(seed: seed))
    // The file system does not show in the bytes either.
    try Self.checkEqual(first, try Self.filesInMemory(seed: seed))
  }

  private static func checkEqual(_ first: [String: [UInt8]], _ second: [String: [UInt8]]) throws {
    for name in Set(first.keys).union(second.keys).sorted() {
      guard let one = first[name], let other = second[name] else {
        throw CaseFailure("\(name) was written in one of two runs only")
      }
      let place = zip(one, other).enumerated().first { $1.0 != $1.1 }?.offset
      let first = place ?? min(one.count, other.count)
      try check(one == other, "\(name) differs from byte \(first) on")
    }
  }

  private static func filesInMemory(
    seed: UInt64, _ parts: [RepeatableRun.Part] = RepeatableRun.allParts
  ) throws -> [String: [UInt8]] {
    let fileSystem = InMemoryFileSystem()
    try RepeatableRun.write(parts, below: "/run", seed: seed, fileSystem: fileSystem)
    return try files(fileSystem, below: "/run", parts)
  }

  private static func filesOfProcess(seed: UInt64) throws -> [String: [UInt8]] {
    let directory = try TemporaryDirectory()
    let process = Process()
    process.executableURL = tool
    process.arguments = ["repeat", directory.path, "\(seed)"]
    var environment = ProcessInfo.processInfo.environment
    environment["SWIFT_DETERMINISTIC_HASHING"] = nil
    process.environment = environment
    try process.run()
    process.waitUntilExit()
    try check(process.terminationStatus == 0, "the process ended with an error")
    return try files(POSIXFileSystem(), below: directory.path)
  }

  private static func files(
    _ fileSystem: any FileSystem, below path: String,
    _ parts: [RepeatableRun.Part] = RepeatableRun.allParts
  ) throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for part in parts {
      let directory = try fileSystem.openDirectory(at: "\(path)/\(part)", create: false)
      for text in try directory.list() {
        // Room kept for hard times, without contents; whether there is any depends on the disk.
        guard let name = FileName(text), !text.hasPrefix("RESERVE") else { continue }
        let file = try directory.open(name, .read)
        let count = Int(try file.size())
        let bytes = try [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
          let raw = UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count)
          while written < count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: raw[written...])
            written += try file.read(into: rest, at: UInt64(written))
          }
        }
        files["\(part)/\(text)"] = bytes
      }
    }
    return files
  }
}
