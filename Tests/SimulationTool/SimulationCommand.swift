import ArgumentParser
import Foundation
import LogStoreSimulation
import StorageTestSupport

/// Runs the crash simulator over many seeds; fails with a script when a promise is broken.
@main
struct SimulationCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "logstore-simulation",
    abstract: "Crashes simulated stores in every way and checks what is left of them.")

  @Option(help: "Distinct crash states to check, at least.")
  var states = 1_000_000

  @Option(help: "The first seed; the others follow it.")
  var seed: UInt64 = 1

  @Option(help: "Threads; each runs seeds of its own.")
  var threads = 2

  @Flag(help: "Thirty million states.")
  var soak = false

  @Option(help: "Runs just this seed.")
  var only: UInt64?

  @Option(help: "Replays a script instead.")
  var replay: String?

  @Flag(help: "Shrinks the script of a failure before it is printed.")
  var shrink = false

  mutating func run() throws {
    if let replay {
      let script = try SimulationScript(text: String(contentsOfFile: replay, encoding: .utf8))
      print(ScriptReplay(script).search(limit: 2000)?.description ?? "all promises are kept")
      return
    }
    let farm = SeedFarm(
      firstSeed: only ?? seed, wantedStates: only == nil ? (soak ? 30_000_000 : states) : 1)
    let outcome = farm.run(threads: only == nil ? threads : 1)
    print(outcome.counts, outcome.seconds, outcome.failure?.description ?? "")
    if outcome.failure != nil { throw ExitCode.failure }
  }
}
