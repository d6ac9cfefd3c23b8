internal import Synchronization

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// A lock held over calls of foreign code, such as the body of a transaction.
///
/// Taking it again on the thread that holds it is a programmer error and traps with a sentence,
/// instead of waiting for ever.
public final class ExclusiveLock: @unchecked Sendable {
  // Sendable: the mutex is at a fixed address and made for use from several threads.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  /// The thread that holds it, as a number; 0 when nobody does.
  private let holder = Atomic<UInt>(0)

  public init() {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    var attributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&attributes)
    #if canImport(Darwin)
      pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK)
    #else
      pthread_mutexattr_settype(&attributes, CInt(PTHREAD_MUTEX_ERRORCHECK))
    #endif
    pthread_mutex_init(mutex, &attributes)
    pthread_mutexattr_destroy(&attributes)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deinitialize(count: 1)
    mutex.deallocate()
  }

  /// Waits for the lock; `purpose` completes the sentence of the trap.
  public func lock(_ purpose: String) {
    if !takesWithinSpins() {
      guard pthread_mutex_lock(mutex) == 0 else {
        fatalError("\(purpose) must not begin inside a transaction")
      }
    }
    holder.store(Self.currentThread, ordering: .relaxed)
  }

  /// Looks again and again for some 50 µs, longer than a commit takes, whether the lock is free,
  /// before the thread goes to sleep for it.
  ///
  /// Who gives a lock back for which somebody sleeps must call the system to wake it, and has often
  /// taken the lock again by the time the other runs. A writer that commits all the time would pay
  /// for that at every commit until the other comes by.
  private func takesWithinSpins() -> Bool {
    if pthread_mutex_trylock(mutex) == 0 { return true }
    let thread = Self.currentThread
    let start = SystemTimeSource().monotonicNanoseconds()
    while !Self.isAlone {
      let other = holder.load(ordering: .relaxed)
      if other == thread { return false }
      if other == 0, pthread_mutex_trylock(mutex) == 0 { return true }
      if SystemTimeSource().monotonicNanoseconds() - start > Self.spinNanoseconds { return false }
      sched_yield()
    }
    return false
  }

  private static let spinNanoseconds: UInt64 = 50_000
  /// Without another processor nobody can give the lock back meanwhile.
  private static let isAlone = Processors.count == 1

  /// Gives the lock back.
  public func unlock() {
    holder.store(0, ordering: .relaxed)
    pthread_mutex_unlock(mutex)
  }

  /// Traps with a sentence when this thread holds the lock; for callers that would hand over to
  /// another thread which then waits for it.
  public func expectNotHeld(_ purpose: String) {
    guard !isHeldHere else { fatalError("\(purpose) must not begin inside a transaction") }
  }

  /// Whether this thread holds the lock.
  public var isHeldHere: Bool { holder.load(ordering: .relaxed) == Self.currentThread }

  private static var currentThread: UInt { ThreadIdentifier.current.rawValue }
}
