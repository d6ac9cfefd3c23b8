/// A value that only one thread at a time may touch.
///
/// Costs about 6 ns without contention. Not recursive: taking it twice on one thread waits for
/// ever. It is a mutex of the operating system because ThreadSanitizer understands that one.
public final class Lock<State: ~Copyable>: @unchecked Sendable {
  // Sendable: `state` is only reached in `withLock`, between acquiring and releasing the mutex.
  @usableFromInline let mutex: PlatformMutex
  @exclusivity(unchecked) @usableFromInline var state: State

  /// Takes ownership of the value.
  @inlinable
  public init(_ state: consuming sending State) {
    mutex = PlatformMutex()
    self.state = state
  }

  /// Runs `body` alone; keep it short, and never wait for another thread inside.
  @inlinable
  public func withLock<Value: ~Copyable, Failure: Error>(
    _ body: (inout sending State) throws(Failure) -> sending Value
  ) throws(Failure) -> sending Value {
    mutex.acquire()
    defer { mutex.release() }
    return try body(&state)
  }
}
