import ArgumentParser
import Foundation

/// Tries the compaction policies on stores without a disk, and prints what each costs.
struct PoliciesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "policies",
    abstract: "Simulates compaction policies: write amplification and live fraction.",
    discussion: "Nothing is written but the plot, and the same seed gives the same numbers.")

  @Option(help: "Keys that are loaded first.")
  var keys = 20_000

  @Option(help: "Records of a full segment.")
  var segment = 256

  @Option(help: "How often as many changes as there are keys follow.")
  var rounds = 12

  @Option(help: "Repeats a run.")
  var seed: UInt64 = 1

  @Option(help: "The file of the plot, an SVG.")
  var plot: String?

  func run() throws {
    let comparison = PolicyComparison(
      keyCount: keys, segmentRecordCount: segment, roundCount: rounds, seed: seed)
    print(comparison.table)
    if let plot { try Data(PolicyPlot(comparison).svg.utf8).write(to: URL(filePath: plot)) }
  }
}
