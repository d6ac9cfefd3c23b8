#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// A mutex with a condition: threads wait for a state that others change, and are woken together.
public final class Monitor: @unchecked Sendable {
  // Sendable: mutex and condition are at fixed addresses and made for use from several threads.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>

  /// A monitor that nobody holds.
  public init() {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    condition = .allocate(capacity: 1)
    condition.initialize(to: pthread_cond_t())
    let isMade = pthread_mutex_init(mutex, nil) == 0 && Self.makeCondition(condition)
    precondition(isMade, "the operating system must be able to make a mutex and a condition")
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deinitialize(count: 1)
    condition.deallocate()
    mutex.deinitialize(count: 1)
    mutex.deallocate()
  }

  /// Waits until nobody else is inside.
  public func enter() { pthread_mutex_lock(mutex) }

  /// Lets the next one in.
  public func leave() { pthread_mutex_unlock(mutex) }

  /// Lets others in until somebody calls ``wakeAll()``; only inside. May return without reason.
  public func wait() { pthread_cond_wait(condition, mutex) }

  /// The same, but for `milliseconds` at most, whatever is done to the clock of the day.
  public func wait(milliseconds: Int) { wait(microseconds: milliseconds * 1000) }

  /// The same, for `microseconds`.
  public func wait(microseconds: Int) {
    #if canImport(Darwin)
      var left = timespec(
        tv_sec: microseconds / 1_000_000, tv_nsec: microseconds % 1_000_000 * 1000)
      pthread_cond_timedwait_relative_np(condition, mutex, &left)
    #else
      var moment = timespec()
      clock_gettime(CLOCK_MONOTONIC, &moment)
      let nanoseconds = Int(moment.tv_nsec) + microseconds * 1000
      moment.tv_sec += time_t(nanoseconds / 1_000_000_000)
      moment.tv_nsec = numericCast(nanoseconds % 1_000_000_000)
      pthread_cond_timedwait(condition, mutex, &moment)
    #endif
  }

  /// A condition that counts time by the clock that nobody sets.
  private static func makeCondition(_ condition: UnsafeMutablePointer<pthread_cond_t>) -> Bool {
    #if canImport(Darwin)
      return pthread_cond_init(condition, nil) == 0
    #else
      var attributes = pthread_condattr_t()
      guard pthread_condattr_init(&attributes) == 0 else { return false }
      defer { pthread_condattr_destroy(&attributes) }
      return pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0
        && pthread_cond_init(condition, &attributes) == 0
    #endif
  }

  /// Wakes all that wait; only inside.
  public func wakeAll() { pthread_cond_broadcast(condition) }
}
