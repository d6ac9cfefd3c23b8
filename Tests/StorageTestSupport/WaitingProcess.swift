internal import Foundation

/// A program that does something, says so, and waits until it is killed.
package final class WaitingProcess {
  private let process = Process()

  /// Starts `tool`; returns when it has written its first byte, or fails when it ends instead.
  package init(_ tool: String, _ arguments: [String]) throws {
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: tool)
    process.arguments = arguments
    process.standardOutput = output
    try process.run()
    guard let first = try output.fileHandleForReading.read(upToCount: 1), !first.isEmpty else {
      throw CocoaError(.executableLoad)
    }
  }

  package var identifier: Int32 { process.processIdentifier }

  /// Ends it without giving it a chance to clean up.
  package func kill() {
    if process.isRunning {
      Foundation.kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
  }

  deinit { kill() }
}
