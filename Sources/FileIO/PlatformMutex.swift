#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// A mutex of the operating system at a fixed address.
@usableFromInline
final class PlatformMutex: @unchecked Sendable {
  // Sendable: the pointer never changes, and what it points to is made for several threads.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  @usableFromInline
  init() {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    let result = pthread_mutex_init(mutex, nil)
    precondition(result == 0, "the operating system must be able to make a mutex")
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deinitialize(count: 1)
    mutex.deallocate()
  }

  @usableFromInline
  func acquire() { pthread_mutex_lock(mutex) }

  @usableFromInline
  func release() { pthread_mutex_unlock(mutex) }
}
