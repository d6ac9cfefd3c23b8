import FileIO
import Foundation
import StorageTestSupport
import Testing

@Suite struct ProcessorsTests {
  @Test(
    "only processors that a thread may run on are counted",
    .enabled(if: HostTools.isLinux && HostTools.path(of: "taskset") != nil))
  func countsThoseThatAreAllowed() throws {
    let before = Processors.count
    let failures = Threads.run(1) { _ in
      let name = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
      let status = try String(contentsOfFile: "/proc/thread-self/status", encoding: .utf8)
      let allowed = status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed_list:") }
      let first = allowed?.split { !$0.isNumber }.first
      guard let thread = name.split(separator: "/").last, let first else {
        throw CaseFailure("\(name), \(allowed ?? "")")
      }
      let process = Process()
      process.executableURL = URL(
        fileURLWithPath: try #require(HostTools.path(of: "taskset")))
      process.arguments = ["-pc", String(first), String(thread)]
      process.standardOutput = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      if Processors.count != 1 { throw CaseFailure("\(Processors.count), on \(first) alone") }
    }
    #expect(failures == [])
    #expect(Processors.count == before && before > 0)
  }
}
