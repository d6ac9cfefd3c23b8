internal import Dispatch
internal import FileIO
internal import Foundation

/// Real threads: the pool of concurrency has as few as the machine has cores, and tests must block.
package enum Threads {
  /// Runs `body` on `count` threads at once, each with its number, and returns what they threw.
  package static func run(
    _ count: Int, _ body: @escaping @Sendable (Int) throws -> Void
  ) -> [String] {
    let failures = Lock<[String]>([])
    let group = DispatchGroup()
    for number in 0..<count {
      group.enter()
      let thread = Thread {
        defer { group.leave() }
        do {
          try body(number)
        } catch {
          let text = "thread \(number): \(error)"
          failures.withLock { failures in failures.append(text) }
        }
      }
      thread.stackSize = 1 << 20
      thread.start()
    }
    group.wait()
    return failures.withLock { failures in failures }
  }
}
