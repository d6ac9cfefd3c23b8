public import FileIO

/// Holds a worker up until the gate is opened: what is handed over meanwhile waits.
public final class WorkerGate: Sendable {
  private let isOpen = Lock(false)
  private let monitor = Monitor()

  /// Holds `worker` up once it has done what it was given before.
  public init(_ worker: SerialWorker) {
    let isHeld = worker.submit { [self] in
      monitor.enter()
      while !isOpen.withLock({ $0 }) { monitor.wait() }
      monitor.leave()
    }
    precondition(isHeld, "there must be a thread to hold up")
  }

  /// Lets the worker go on.
  public func open() {
    monitor.enter()
    isOpen.withLock { $0 = true }
    monitor.wakeAll()
    monitor.leave()
  }
}
