#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// Runs pieces of work one after another, on a thread that exists only while there is some, and
/// some milliseconds more: who submits piece after piece does not start a thread for each.
///
/// For work that may block and must not hold up who asked for it. Safe on any thread. Work that is
/// queued keeps what it captured alive, so it may run after whoever submitted it went away.
public final class SerialWorker: @unchecked Sendable {
  // Sendable: all stored state is used inside `monitor`, but for `taken`.
  private let monitor = Monitor()
  private var queue: [@Sendable () -> Void] = []
  /// What the thread took from the queue, the last one first; used by it alone.
  private var taken: [@Sendable () -> Void] = []
  /// Whether there is a thread.
  private var isRunning = false
  /// Whether it has work.
  private var isWorking = false
  /// The one that there is.
  private var thread: ThreadIdentifier?

  private let isBackground: Bool
  /// How long the thread waits for more.
  private let idleMilliseconds: Int
  /// How long one in the background waits before it looks.
  private static let napMicroseconds = 500

  /// With `isBackground` its thread waits, when it has something to do and all processors are busy,
  /// until one of them takes turns, in place of stopping who runs there: for work that seldom
  /// anybody waits for. It gets the same share of the processors (`SCHED_BATCH` of Linux; elsewhere
  /// nothing). While it waits for more it is not woken, which can cost who submits as much as the
  /// work, but looks every half millisecond.
  public init(isBackground: Bool = false, idleMilliseconds: Int = 10) {
    self.isBackground = isBackground
    self.idleMilliseconds = idleMilliseconds
  }

  /// Queues `work`; false, and nothing queued, when the operating system gives no thread for it.
  public func submit(_ work: @escaping @Sendable () -> Void) -> Bool {
    monitor.enter()
    defer { monitor.leave() }
    if !isRunning {
      guard start() else { return false }
      isRunning = true
    } else if !isWorking, !isBackground {
      monitor.wakeAll()
    }
    isWorking = true
    queue.append(work)
    return true
  }

  /// Returns when all work submitted so far, and what that submitted, is done.
  ///
  /// - Precondition: not called by the work itself.
  public func waitUntilIdle() {
    monitor.enter()
    precondition(thread != .current, "work of a thread must not wait until that is idle")
    // One in the background may be waiting to look.
    if isWorking { monitor.wakeAll() }
    while isWorking { monitor.wait() }
    monitor.leave()
  }

  /// Whether the caller is its work, which must not wait for it.
  public var isCurrentThread: Bool {
    monitor.enter()
    defer { monitor.leave() }
    return thread == .current
  }

  private func start() -> Bool {
    var attributes = pthread_attr_t()
    guard pthread_attr_init(&attributes) == 0 else { return false }
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    let context = Unmanaged.passRetained(self)
    #if canImport(Glibc)
      var thread = pthread_t()
    #else
      var thread: pthread_t?
    #endif
    let result = pthread_create(
      &thread, &attributes,
      { context in
        SerialWorker.run(context)
        return nil
      }, context.toOpaque())
    if result != 0 { context.release() }
    return result == 0
  }

  private static func run(_ context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    let worker = Unmanaged<SerialWorker>.fromOpaque(context).takeRetainedValue()
    if worker.isBackground { SystemCalls.letOthersRunOn() }
    worker.runAll()
  }

  /// Works until nothing is queued for a while; the thread ends with it.
  private func runAll() {
    monitor.enter()
    thread = .current
    while isWorking {
      workOff()
      isWorking = false
      monitor.wakeAll()
      if isBackground { nap() } else { monitor.wait(milliseconds: idleMilliseconds) }
    }
    isRunning = false
    thread = nil
    monitor.leave()
  }

  /// Looks for more from time to time, so that nobody needs to wake this thread; inside the
  /// monitor.
  private func nap() {
    for _ in 0..<(1000 * idleMilliseconds / Self.napMicroseconds) {
      monitor.wait(microseconds: Self.napMicroseconds)
      if isWorking { return }
    }
  }

  /// Works until nothing is queued; inside the monitor, which it leaves meanwhile.
  private func workOff() {
    while !queue.isEmpty {
      swap(&queue, &taken)
      monitor.leave()
      taken.reverse()
      // What each captured goes with it: that may take a while.
      while let work = taken.popLast() { work() }
      monitor.enter()
    }
  }
}
