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
    let measurements = try measure(order)
    let encoder = JSONEncoder()
    for measurement in measurements {
      print(String(decoding: try encoder.encode(measurement), as: UTF8.self))
    }
  }

  private func measure(_ order: PhaseOrder) throws -> [Measurement] {
    if let stepCount = order.phase.stepCount {
      let run = MigrationRun(order: order, stepCount: stepCount)
      guard order.phase == .migrationSetup else { return try run.run() }
      try run.prepare()
      return []
    }
    return try order.phase == .objects ? ObjectRun(order: order).run() : PhaseRun(order).run()
  }
}
