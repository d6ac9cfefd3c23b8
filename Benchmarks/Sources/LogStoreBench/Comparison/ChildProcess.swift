import Foundation

/// Runs this very program for one phase, and reads what it measured.
enum ChildProcess {
  static func measure(_ order: PhaseOrder) throws -> [Measurement] {
    let lines = try run(["phase", try order.encoded()])
    let decoder = JSONDecoder()
    return try lines.map { try decoder.decode(Measurement.self, from: Data($0.utf8)) }
  }

  private static func run(_ arguments: [String]) throws -> [Substring] {
    let process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      throw BenchmarkError("a phase failed: \(arguments.joined(separator: " "))")
    }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
  }
}
