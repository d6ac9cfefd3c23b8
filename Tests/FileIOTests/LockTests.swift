import Dispatch
import FileIO
import StorageTestSupport
import Testing

@Suite("A lock")
struct LockTests {
  struct Unique: ~Copyable {
    var count = 0
  }

  private struct Refused: Error {}

  @Test("admits one thread at a time")
  func exclusion() {
    let lock = Lock(Unique())
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<10_000 { lock.withLock { state in state.count += 1 } }
    }
    #expect(lock.withLock { state in state.count } == 80_000)
  }

  @Test("is given back when the body throws")
  func throwing() {
    let lock = Lock(0)
    #expect(throws: Refused.self) {
      try lock.withLock { state throws(Refused) in
        state = 1
        throw Refused()
      }
    }
    #expect(lock.withLock { state in state } == 1)
  }

  @Test("the system's clock and random numbers look alive; the seeded ones repeat")
  func sources() {
    #expect(SystemTimeSource().secondsSince1970() > 1_500_000_000)
    let random = SystemRandomSource()
    #expect(Set((0..<100).map { _ in random.next() }).count == 100)
    let first = SeededRandomSource(seed: 7)
    let second = SeededRandomSource(seed: 7)
    #expect((0..<10).map { _ in first.next() } == (0..<10).map { _ in second.next() })
    let clock = ManualTimeSource()
    clock.set(secondsSince1970: 5)
    #expect(clock.secondsSince1970() == 5)
  }
}
