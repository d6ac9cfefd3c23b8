import Compaction
import Testing

@Suite("How much of the machine a compaction may take")
struct CompactionPaceTests {
  static let pace = CompactionPace(byteCountPerSecond: 1000, processorShare: 0.25)

  @Test("Little is taken while little is dead, all of it at the limit, everything far above")
  func scaling() {
    func scaled(_ deadFraction: Double) -> CompactionPace {
      Self.pace.scaled(deadFraction: deadFraction, urgentDeadFraction: 0.4)
    }
    #expect(scaled(0) == CompactionPace(byteCountPerSecond: 250, processorShare: 0.0625))
    #expect(scaled(0.4) == Self.pace)
    #expect(abs(scaled(0.4375).processorShare - 0.625) < 0.001)
    #expect(scaled(0.4375).byteCountPerSecond.map { 1990...2010 ~= $0 } == true)
    #expect(scaled(0.474) != .unlimited)
    #expect(scaled(0.476) == .unlimited)
    #expect(scaled(1) == .unlimited)
  }

  @Test("The more is dead, the more is taken", arguments: [0, 0.1, 0.25, 0.4, 0.5, 0.9, 1])
  func monotony(urgentDeadFraction: Double) {
    var last = Self.pace.scaled(deadFraction: 0, urgentDeadFraction: urgentDeadFraction)
    for percent in 1...100 {
      let next = Self.pace.scaled(
        deadFraction: Double(percent) / 100, urgentDeadFraction: urgentDeadFraction)
      #expect(next.processorShare >= last.processorShare, "\(percent)")
      let bytes = (last.byteCountPerSecond ?? .max, next.byteCountPerSecond ?? .max)
      #expect(bytes.1 >= bytes.0, "\(percent)")
      last = next
    }
  }

  @Test("A budget that always holds is never exceeded")
  func strictness() {
    for percent in 0...100 {
      let scaled = Self.pace.scaled(
        deadFraction: Double(percent) / 100, urgentDeadFraction: 1)
      #expect(scaled.processorShare <= 0.25)
      #expect(scaled.byteCountPerSecond.map { $0 <= 1000 } == true)
    }
    #expect(Self.pace.scaled(deadFraction: 0.5, urgentDeadFraction: 1) == Self.pace)
    let most = CompactionPace(byteCountPerSecond: .max, processorShare: 1)
    for deadFraction in [0, 0.4, 0.5, 1] {
      let scaled = most.scaled(deadFraction: deadFraction, urgentDeadFraction: 1)
      #expect(scaled.byteCountPerSecond ?? 0 > 1 << 50)
    }
  }

  @Test("Waiting for the disk or for a processor is rest already")
  func rests() {
    let share = CompactionPace(byteCountPerSecond: nil, processorShare: 0.25)
    #expect(share.rest(afterCopying: 1, nanoseconds: 100, processorNanoseconds: 100) == 300)
    #expect(share.rest(afterCopying: 1, nanoseconds: 250, processorNanoseconds: 100) == 150)
    #expect(share.rest(afterCopying: 1, nanoseconds: 500, processorNanoseconds: 100) == 0)
    #expect(
      Self.pace.rest(afterCopying: 2000, nanoseconds: 500_000_000, processorNanoseconds: 0)
        == 1_500_000_000)
    #expect(
      CompactionPace.unlimited.rest(afterCopying: 9, nanoseconds: 9, processorNanoseconds: 9) == 0)
  }
}
