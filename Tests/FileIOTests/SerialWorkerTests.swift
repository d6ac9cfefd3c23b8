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
    let worker = SerialWorker(isBackground: true)
    let count = Lock(0)
    for round in 1...20 {
      _ = worker.submit { count.withLock { count in count += 1 } }
      worker.waitUntilIdle()
      #expect(count.withLock { count in count } == round)
      if round % 5 == 0 { Thread.sleep(forTimeInterval: 0.03) }
    }
  }

  @Test("work that comes soon after other work finds its thread still there")
  func threadsWaitForMore() {
    let worker = SerialWorker()
    let threadCount = Lock(0)
    for _ in 0..<100 {
      _ = worker.submit {
        if Thread.current.threadDictionary["seen"] != nil { return }
        Thread.current.threadDictionary["seen"] = true
        threadCount.withLock { count in count += 1 }
      }
      worker.waitUntilIdle()
    }
    // A machine that is busy may let a thread go in between, now and then.
    #expect(threadCount.withLock { count in (1..<50).contains(count) })
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
