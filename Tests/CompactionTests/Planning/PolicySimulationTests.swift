import Compaction
import PolicySimulation
import Testing

/// Policies in the long run, on stores of a few thousand keys without a disk.
@Suite("Policies keep a store in shape whatever is written")
struct PolicySimulationTests {
  private static func outcome(
    _ workload: PolicyWorkload, order: CompactionOrder = .costBenefit, mixesStreams: Bool = false,
    deadFraction: Double = 1.0 / 3
  ) -> PolicySimulation.Outcome {
    var policy = CompactionPolicy.automatic
    policy.order = order
    policy.goal = .deadFraction(deadFraction)
    policy.deadFractionMinimum = 0.01
    var setup = PolicySimulation.Setup(policy: policy, workload: workload)
    setup.mixesStreams = mixesStreams
    setup.keyCount = 2000
    setup.segmentRecordCount = 64
    setup.roundCount = 8
    return PolicySimulation.run(setup)
  }

  @Test("At most about a third of the store is dead", arguments: PolicyWorkload.allCases)
  func space(_ workload: PolicyWorkload) {
    for order in CompactionOrder.allCases {
      let outcome = Self.outcome(workload, order: order)
      #expect(outcome.liveFraction > 0.6, "\(order): \(outcome)")
    }
  }

  @Test("A policy comes to an end when nothing is written, however little may be dead")
  func ends() {
    for workload in [PolicyWorkload.skewed, .deleteHeavy] {
      for order in CompactionOrder.allCases {
        let outcome = Self.outcome(workload, order: order, deadFraction: 0.1)
        #expect(outcome.liveFraction > 0.7, "\(workload) \(order): \(outcome)")
      }
    }
  }

  @Test("What never dies is never copied")
  func appendOnly() {
    #expect(Self.outcome(.appendOnly).writeAmplification == 1)
  }

  @Test("Under skew, cost-benefit writes less than age, and separate streams less than mixed ones")
  func skew() {
    let costBenefit = Self.outcome(.skewed).writeAmplification
    #expect(costBenefit < Self.outcome(.skewed, order: .age).writeAmplification)
    #expect(costBenefit < Self.outcome(.skewed, mixesStreams: true).writeAmplification)
  }
}
