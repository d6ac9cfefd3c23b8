import ArgumentParser
import Foundation
import LogStoreSimulation

/// Runs the crash simulator over many seeds; fails with a script when a promise is broken.
@main
struct SimulationCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "logstore-simulation",
    abstract: "Crashes simulated stores in every way and checks what is left of them.")

  @Option(help: "Distinct crash states to check, at least.")
  var states = 1_000_000

  @Option(help: "Distinct states behind a second crash to check, at least.")
  var nestedMinimum = 0

  @Option(help: "The first seed; the others follow it.")
  var seed: UInt64 = 1

  @Option(help: "Threads; each runs seeds of its own.")
  var threads = 2

  @Flag(help: "Checks thirty million states.")
  var soak = false

  @Option(help: "Runs this seed and no other.")
  var only: UInt64?

  @Option(help: "Replays a script, and the states near it, instead.")
  var replay: String?

  @Flag(help: "Shrinks the script of a failure before it is printed.")
  var shrink = false

  @Option(help: "Plants a bug: one of those that --list-bugs names.")
  var plant: String?

  @Flag(help: "Lists the bugs that this build can plant; the engine's are in debug builds only.")
  var listBugs = false

  @Flag(help: "Plants every bug and tells how many seeds it took to find it.")
  var hunt = false

  @Flag(help: "Few states of each seed.")
  var quick = false

  @Option(help: "Writes to this file when each seed begins and ends, for when the process dies.")
  var trace: String?

  mutating func validate() throws {
    guard threads > 0, states > 0 else {
      throw ValidationError("--threads and --states must be at least 1")
    }
    if let plant, Defect(name: plant) == nil {
      throw ValidationError("there is no bug \(plant); --list-bugs names them")
    }
  }

  mutating func run() throws {
    if listBugs {
      for defect in Defect.all { print(defect) }
      return
    }
    if hunt { return try runHunt() }
    let found = try replay.map { try runReplay($0) } ?? runSeeds()
    guard let found else { return }
    Self.say("FAILED\n\(found)")
    if shrink {
      var shrinker = ScriptShrinker(found, defect: defect)
      let small = shrinker.shrink()
      Self.say("SHRUNK, with \(shrinker.attempts) candidates\n\(small)")
    }
    throw ExitCode.failure
  }

  private var defect: Defect? { plant.flatMap { Defect(name: $0) } }

  private func runReplay(_ path: String) throws -> FoundFailure? {
    let text = try String(contentsOf: URL(filePath: path), encoding: .utf8)
    let found = ScriptReplay(try SimulationScript(text: text), defect: defect).search(limit: 4000)
    if found == nil { print("all promises are kept") }
    return found
  }

  private func runSeeds() throws -> FoundFailure? {
    let wanted = only == nil ? (soak ? 30_000_000 : states) : 1
    let farm = SeedFarm(
      firstSeed: only ?? seed, wantedStates: wanted, wantedNestedStates: nestedMinimum,
      effort: quick ? .quick : .thorough,
      defect: defect, trace: try tracing())
    let outcome = farm.run(threads: only == nil ? threads : 1) { counts in
      FileHandle.standardError.write(Data("\(counts.states) states, \(counts.seeds) seeds\n".utf8))
    }
    print("seeds \(only ?? seed) to \((only ?? seed) + UInt64(outcome.counts.seeds) - 1)")
    print(outcome.counts)
    let rate = Double(outcome.counts.states) / max(outcome.seconds, 0.001)
    print("seconds             \(outcome.seconds)")
    print("states a second     \(Int(rate)) on \(threads) threads")
    if let seed = outcome.failedSeed {
      print("seed \(seed) fails: --only \(seed) repeats it")
    }
    return outcome.failure
  }

  /// Writes a line at once: what is kept back is lost when the process dies.
  private func tracing() throws -> (@Sendable (String) -> Void)? {
    guard let trace else { return nil }
    let url = URL(filePath: trace)
    try Data().write(to: url)
    let file = try FileHandle(forWritingTo: url)
    return { line in file.write(Data((line + "\n").utf8)) }
  }

  private func runHunt() throws {
    var missed: [Defect] = []
    for defect in Defect.all where plant == nil || plant == defect.description {
      let start = ContinuousClock.now
      let found = BugHunt(defect: defect).run(seeds: seed...(seed + 199))
      let time = ContinuousClock.now - start
      if let found {
        Self.say("\(defect): seed \(found.seed), \(found.counts.states) states, \(time)")
        Self.say("    \(found.failure.failure)")
      } else {
        Self.say("\(defect): NOT FOUND, \(time)")
        missed.append(defect)
      }
    }
    if !missed.isEmpty { throw ExitCode.failure }
  }

  /// Prints at once, also where the output is a file.
  private static func say(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
  }
}
