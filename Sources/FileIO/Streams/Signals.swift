#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// Settings of the whole process that a command makes once, before anything else.
public enum Signals {
  /// Makes writing to a pipe without a reader fail with `.brokenPipe`, not end the process.
  public static func ignoreBrokenPipe() {
    _ = signal(SIGPIPE, SIG_IGN)
  }
}
