import Foundation
import ObjectStore
import PolicySimulation

/// All policies on all workloads, for several goals.
struct PolicyComparison {
  /// A policy that takes part.
  struct Contender {
    let name: String
    let colour: String
    let order: CompactionOrder
    let mixesStreams: Bool
  }

  /// The cost of one policy for one workload and goal.
  struct Point {
    let contender: Int
    let workload: PolicyWorkload
    let deadFraction: Double
    let outcome: PolicySimulation.Outcome
  }

  static let contenders = [
    Contender(
      name: "cost-benefit", colour: "#c2410c", order: .costBenefit, mixesStreams: false),
    Contender(
      name: "cost-benefit, mixed", colour: "#7c3aed", order: .costBenefit, mixesStreams: true),
    Contender(name: "greedy", colour: "#2563eb", order: .greedy, mixesStreams: false),
    Contender(name: "by age", colour: "#65a30d", order: .age, mixesStreams: false),
  ]
  static let deadFractions = [0.1, 0.2, 0.25, 1.0 / 3, 0.5]

  let points: [Point]

  init(keyCount: Int, segmentRecordCount: Int, roundCount: Int, seed: UInt64) {
    var points: [Point] = []
    for workload in PolicyWorkload.allCases {
      for deadFraction in Self.deadFractions {
        for (index, contender) in Self.contenders.enumerated() {
          var policy = CompactionPolicy.automatic
          policy.order = contender.order
          policy.goal = .deadFraction(deadFraction)
          policy.deadFractionMinimum = 0.01
          var setup = PolicySimulation.Setup(policy: policy, workload: workload)
          setup.mixesStreams = contender.mixesStreams
          setup.keyCount = keyCount
          setup.segmentRecordCount = segmentRecordCount
          setup.roundCount = roundCount
          setup.seed = seed
          points.append(
            Point(
              contender: index, workload: workload, deadFraction: deadFraction,
              outcome: PolicySimulation.run(setup)))
        }
      }
    }
    self.points = points
  }

  func outcome(
    _ contender: Int, _ workload: PolicyWorkload, _ deadFraction: Double
  ) -> PolicySimulation.Outcome? {
    points.first {
      $0.contender == contender && $0.workload == workload && $0.deadFraction == deadFraction
    }?.outcome
  }

  /// A table in Markdown: write amplification, and the live part in per cent.
  var table: String {
    let names = Self.contenders.map(\.name).joined(separator: " | ")
    var lines = ["| workload | dead at most | \(names) |"]
    lines.append("| --- | ---: |" + String(repeating: " ---: |", count: Self.contenders.count))
    for workload in PolicyWorkload.allCases {
      for deadFraction in Self.deadFractions {
        let cells = Self.contenders.indices.map { contender -> String in
          guard let outcome = outcome(contender, workload, deadFraction) else { return "" }
          return String(
            format: "%.2f (%.0f %%)", outcome.writeAmplification, outcome.liveFraction * 100)
        }
        lines.append(
          "| \(workload.rawValue) | \(Int((deadFraction * 100).rounded())) % | "
            + cells.joined(separator: " | ") + " |")
      }
    }
    return lines.joined(separator: "\n")
  }
}
