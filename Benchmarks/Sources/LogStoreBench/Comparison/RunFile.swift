import Foundation

/// A run as JSON lines: its description, then every measurement.
struct RunFile {
  let description: RunDescription
  let measurements: [Measurement]

  init(description: RunDescription, measurements: [Measurement]) {
    self.description = description
    self.measurements = measurements
  }

  init(path: String) throws {
    let lines = try Data(contentsOf: URL(filePath: path)).split(separator: UInt8(ascii: "\n"))
    guard let first = lines.first else { throw BenchmarkError("\(path) is empty") }
    let decoder = JSONDecoder()
    description = try decoder.decode(RunDescription.self, from: first)
    measurements = try lines.dropFirst().map { try decoder.decode(Measurement.self, from: $0) }
  }

  func write(to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    var bytes = try encoder.encode(description)
    for measurement in measurements {
      bytes.append(UInt8(ascii: "\n"))
      bytes.append(try encoder.encode(measurement))
    }
    bytes.append(UInt8(ascii: "\n"))
    try bytes.write(to: URL(filePath: path))
  }

  /// The measurements at the size that the run began with: other sizes are in plots only.
  var results: Results {
    let count = measurements.first?.recordCount
    return Results(
      measurements.filter { $0.recordCount == count }, engines: description.engines)
  }
}
