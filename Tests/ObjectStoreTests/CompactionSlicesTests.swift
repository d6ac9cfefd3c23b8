import Compaction
import StorageTestSupport
import Testing

@testable import ObjectStore

@Suite("A step of compaction rests for all that it took")
struct CompactionSlicesTests {
  private static let second: UInt64 = 1_000_000_000

  /// The rests, in seconds, after 200 bytes at a byte a second; `mayRest` of them are allowed.
  private static func rests(_ mayRest: Int = .max) -> (seconds: [UInt64], goesOn: Bool) {
    var slices = CompactionSlices(
      pace: CompactionPace(byteCountPerSecond: 1, processorShare: 1),
      timeSource: ManualTimeSource())
    slices.begin()
    slices.end(copiedByteCount: 200)
    var rests: [UInt64] = []
    let goesOn = slices.restFully { nanoseconds in
      if nanoseconds > 0 { rests.append((nanoseconds + second / 2) / second) }
      return rests.count <= mayRest
    }
    return (rests, goesOn)
  }

  @Test("A pace that asks for more than a minute is kept, minute by minute")
  func slowPace() {
    let (seconds, goesOn) = Self.rests()
    #expect(seconds == [60, 60, 60, 20])
    #expect(goesOn)
  }

  @Test("Between two minutes it can be given up")
  func givingUp() {
    let (seconds, goesOn) = Self.rests(1)
    #expect(seconds == [60, 60])
    #expect(!goesOn)
  }
}
