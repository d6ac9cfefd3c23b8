import Foundation
import Synchronization

/// Runs the same work on a number of threads, more than there are cores if asked.
enum Threads {
  /// Returns the sum of what the threads return; throws the first error of any.
  static func run(_ count: Int, _ body: @escaping @Sendable (_ thread: Int) throws -> Int) throws
    -> Int
  {
    if count == 1 { return try body(0) }
    let group = DispatchGroup()
    let outcome = Outcome()
    for thread in 0..<count {
      group.enter()
      Thread.detachNewThread {
        outcome.add(Result { try body(thread) })
        group.leave()
      }
    }
    group.wait()
    return try outcome.sum()
  }

  /// What the threads have returned so far.
  private final class Outcome: Sendable {
    private let state = Mutex<Result<Int, any Error>>(.success(0))

    func add(_ result: Result<Int, any Error>) {
      state.withLock { state in
        state = state.flatMap { sum in result.map { sum + $0 } }
      }
    }

    func sum() throws -> Int { try state.withLock { try $0.get() } }
  }
}
