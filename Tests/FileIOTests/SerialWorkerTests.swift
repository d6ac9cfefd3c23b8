import FileIO
import Foundation
import Testing

@Suite struct SerialWorkerTests {
  @Test("work runs in the order it was submitted, and all of it before the worker is idle")
  func runsInOrder() {
    let worker = SerialWorker()
    let seen = Lock<[Int]>([])
    for number in 0..<1000 {
      let isQueued = worker.submit { seen.withLock { seen in seen.append(number) } }
      #expect(isQueued)
    }
    worker.waitUntilIdle()
    #expect(seen.withLock { seen in seen } == Array(0..<1000))
  }

  @Test("work may submit more work, and a worker that was idle starts again")
  func startsAgain() {
    let worker = SerialWorker()
    let count = Lock(0)
    for round in 1...20 {
      _ = worker.submit {
        _ = worker.submit { count.withLock { count in count += 1 } }
      }
      worker.waitUntilIdle()
      #expect(count.withLock { count in count } == round)
    }
  }

  @Test("a worker in the background comes by, though nobody wakes it, and when its thread has gone")
  func comesBy() {
    for idleMilliseconds in [0, 60_000] {
      Self.comesBy(SerialWorker(isBackground: true, idleMilliseconds: idleMilliseconds))
    }
  }

  private static func comesBy(_ worker: SerialWorker) {
    let count = Lock(0)
    for round in 1...20 {
      _ = worker.submit { count.withLock { count in count += 1 } }
      worker.waitUntilIdle()
      #expect(count.withLock { count in count } == round)
    }
  }

  @Test("work that comes soon after other work finds its thread still there")
  func threadsWaitForMore() {
    let worker = SerialWorker(idleMilliseconds: 60_000)
    let threadCount = Lock(0)
    for _ in 0..<100 {
      _ = worker.submit {
        if Thread.current.threadDictionary["seen"] != nil { return }
        Thread.current.threadDictionary["seen"] = true
        threadCount.withLock { count in count += 1 }
      }
      worker.waitUntilIdle()
    }
    #expect(threadCount.withLock { count in count } == 1)
  }

  @Test("work knows that its worker runs it; nobody else is taken for it")
  func ownThread() {
    let (worker, other) = (SerialWorker(), SerialWorker())
    let seen = Lock<[Bool]>([])
    _ = worker.submit {
      seen.withLock { $0 = [worker.isCurrentThread, other.isCurrentThread] }
    }
    worker.waitUntilIdle()
    #expect(seen.withLock { $0 } == [true, false])
    #expect(!worker.isCurrentThread)
  }

  /// Counts those that are there.
  private final class Counted: Sendable {
    private let count: Lock<Int>

    init(_ count: Lock<Int>) {
      self.count = count
      count.withLock { count in count += 1 }
    }

    deinit { count.withLock { count in count -= 1 } }
  }

  @Test("what work captured goes when it is done, and before the work behind it begins")
  func letsGo() {
    let worker = SerialWorker()
    let count = Lock(0)
    let seen = Lock<[Int]>([])
    let goOn = DispatchSemaphore(value: 0)
    _ = worker.submit { goOn.wait() }
    for _ in 0..<10 {
      let captured = Counted(count)
      _ = worker.submit {
        seen.withLock { seen in seen.append(count.withLock { $0 }) }
        withExtendedLifetime(captured) {}
      }
    }
    goOn.signal()
    worker.waitUntilIdle()
    #expect(seen.withLock { $0 } == Array((1...10).reversed()))
    #expect(count.withLock { $0 } == 0)
  }

  @Test("a worker that is let go finishes what it was given")
  func finishesAfterItsOwner() {
    let count = Lock(0)
    let done = Monitor()
    do {
      let worker = SerialWorker()
      for _ in 0..<10 {
        _ = worker.submit {
          done.enter()
          count.withLock { count in count += 1 }
          done.wakeAll()
          done.leave()
        }
      }
    }
    done.enter()
    while count.withLock({ count in count }) < 10 { done.wait() }
    done.leave()
    #expect(count.withLock { count in count } == 10)
  }
}
