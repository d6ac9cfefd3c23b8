import ArgumentParser
import Foundation

/// Carries out one phase for one engine; the comparing process calls it.
struct PhaseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "phase", abstract: "Carries out one phase for one engine.", shouldDisplay: false)

  @Argument(help: "The order, as JSON.")
  var order: String

  func run() throws {
    let order = try PhaseOrder.decoded(order)
    let measurements =
      try order.phase.isOnObjects ? ObjectRun(order: order).run() : PhaseRun(order).run()
    let encoder = JSONEncoder()
    for measurement in measurements {
      print(String(decoding: try encoder.encode(measurement), as: UTF8.self))
    }
  }
}
