#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// The machine's processors.
public enum Processors {
  /// How many the calling thread, and threads that it starts, may run on, at least 1. What share of
  /// their time they get is not asked: it may be less in a container.
  public static var count: Int { SystemCalls.processorCount() }

  /// Lets another thread run that waits for the processor of the calling one; returns at once when
  /// none does.
  public static func yield() { sched_yield() }
}
