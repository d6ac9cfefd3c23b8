internal import Synchronization

/// Work that is done once: by the thread that it was handed to, or by who needs it before that has
/// begun.
///
/// Safe on any thread. What the work captured is let go when it is done.
public final class HandedOverWork<Made>: @unchecked Sendable {
  // Sendable: `body` is used, and `made` set, by the one thread that begins; `made` is taken by who
  // alone has the work, when it is finished.
  private var body: (@Sendable () -> sending Made)?
  private var made: Made?
  private let isBegun = Atomic(false)
  private let finished = Atomic(false)
  /// For those who wait until it is finished.
  private let monitor = Monitor()

  public init(_ body: @escaping @Sendable () -> sending Made) { self.body = body }

  /// Whether it is done, or never will be; what it made may be taken then.
  public var isFinished: Bool { finished.load(ordering: .acquiring) }

  /// Has `worker` do it; false, and it is cancelled, where there is no thread for it.
  public func handOver(to worker: SerialWorker) -> Bool {
    let isQueued = worker.submit { [self] in run() }
    if !isQueued { cancel() }
    return isQueued
  }

  /// Does it, unless another thread has begun to; returns whether this one did.
  @discardableResult
  public func run() -> Bool {
    guard begin() else { return false }
    made = body?()
    end()
    return true
  }

  /// Does it, or waits for the thread that does; returns whether this one did it.
  @discardableResult
  public func finish() -> Bool {
    let isOwn = run()
    wait()
    return isOwn
  }

  /// Waits until it is finished, for some `milliseconds` at most.
  public func wait(milliseconds: Int) {
    monitor.enter()
    if !isFinished { monitor.wait(milliseconds: milliseconds) }
    monitor.leave()
  }

  /// What it made, when it is finished; nothing when it was cancelled before it began, or what it
  /// made was taken.
  ///
  /// The work keeps none of it: a worker may come by later and have the work for a while. Called by
  /// one thread, which has what was made for itself.
  public func take() -> sending Made? {
    precondition(isFinished, "what work makes may be taken when it is finished")
    nonisolated(unsafe) let taken = made
    made = nil
    return taken
  }

  /// Sees to it that it is never begun, or waits for the thread that does it.
  public func cancel() {
    if !withdraw() { wait() }
  }

  /// Sees to it that it is never begun; false where it has.
  public func withdraw() -> Bool {
    guard begin() else { return false }
    end()
    return true
  }

  private func begin() -> Bool {
    isBegun.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing)
      .exchanged
  }

  /// Whoever sees that it is finished may expect that it keeps nothing.
  private func end() {
    body = nil
    monitor.enter()
    finished.store(true, ordering: .releasing)
    monitor.wakeAll()
    monitor.leave()
  }

  private func wait() {
    if isFinished { return }
    monitor.enter()
    while !isFinished { monitor.wait() }
    monitor.leave()
  }
}
