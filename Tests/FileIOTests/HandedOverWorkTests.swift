import FileIO
import Testing

@Suite struct HandedOverWorkTests {
  @Test("it is done once, by whoever comes first, and who finishes it sees that it is done")
  func isDoneOnce() {
    let worker = SerialWorker()
    for _ in 0..<500 {
      let count = Lock(0)
      let work = HandedOverWork { count.withLock { $0 += 1 } }
      _ = worker.submit { work.run() }
      work.finish()
      #expect(work.isFinished)
      #expect(count.withLock { $0 } == 1)
      work.run()
      work.cancel()
      worker.waitUntilIdle()
      #expect(count.withLock { $0 } == 1)
    }
  }

  @Test("who cancels it knows that it is over, or never begins")
  func isCancelled() {
    let worker = SerialWorker()
    for _ in 0..<500 {
      let count = Lock(0)
      let work = HandedOverWork { count.withLock { $0 += 1 } }
      _ = worker.submit { work.run() }
      work.cancel()
      #expect(work.isFinished)
      let then = count.withLock { $0 }
      worker.waitUntilIdle()
      work.finish()
      #expect(count.withLock { $0 } == then)
    }
    let never = HandedOverWork { Issue.record("it was cancelled") }
    never.cancel()
    never.run()
    never.finish()
  }

  @Test("who withdraws it is told whether it had begun, and who waits need not wait for its end")
  func isWithdrawn() {
    let never = HandedOverWork { Issue.record("it was withdrawn") }
    #expect(never.withdraw() && never.isFinished)
    #expect(!never.run() && !never.withdraw())
    let worker = SerialWorker()
    let (hasBegun, mayEnd) = (Lock(false), Lock(false))
    let work = HandedOverWork {
      hasBegun.withLock { $0 = true }
      while !mayEnd.withLock({ $0 }) { Processors.yield() }
    }
    #expect(work.handOver(to: worker))
    while !hasBegun.withLock({ $0 }) { Processors.yield() }
    work.wait(milliseconds: 1)
    #expect(!work.isFinished && !work.withdraw())
    mayEnd.withLock { $0 = true }
    work.finish()
    work.wait(milliseconds: 1000)
    #expect(work.isFinished)
  }

  @Test("what it made is taken once, and is nothing where it was cancelled")
  func made() {
    final class Made: Sendable {}
    let worker = SerialWorker()
    for _ in 0..<200 {
      let work = HandedOverWork { Made() }
      _ = worker.submit { work.run() }
      work.finish()
      weak var seen: Made?
      do {
        let made = work.take()
        seen = made
        #expect(made != nil)
      }
      #expect(seen == nil, "the work keeps what it made")
      #expect(work.take() == nil)
    }
    let cancelled = HandedOverWork { 1 }
    cancelled.cancel()
    cancelled.finish()
    #expect(cancelled.take() == nil)
  }

  @Test("it keeps nothing when it is over", arguments: [true, false])
  func keepsNothing(isCancelled: Bool) {
    final class Kept: Sendable {}
    weak var seen: Kept?
    let work: HandedOverWork<Void>
    do {
      let kept = Kept()
      seen = kept
      work = HandedOverWork { withExtendedLifetime(kept) {} }
    }
    #expect(seen != nil)
    if isCancelled { work.cancel() } else { work.finish() }
    #expect(seen == nil)
  }
}
