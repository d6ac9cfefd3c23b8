#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// The machine's processors.
public enum Processors {
  /// How many can be used now, at least 1.
  public static var count: Int { SystemCalls.processorCount() }

  /// Lets another thread run that waits for the processor of the calling one; returns at once when
  /// none does.
  public static func yield() { sched_yield() }
}
