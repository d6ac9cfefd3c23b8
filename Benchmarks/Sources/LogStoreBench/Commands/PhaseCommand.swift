import ArgumentParser
import Foundation

/// Carries out one phase for one engine; the comparing process calls it.
struct PhaseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "phase", abstract: "Carries out one phase for one engine.", shouldDisplay: false)

  @Argument(help: "The order, as JSON.")
  var order: String

  func run() throws {
    let run = try PhaseRun(try PhaseOrder(encoded: order))
    let encoder = JSONEncoder()
    for measurement in try run.run() {
      print(String(decoding: try encoder.encode(measurement), as: UTF8.self))
    }
  }
}
