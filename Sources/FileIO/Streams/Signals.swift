#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// Settings of the whole process that a command makes once, before anything else.
public enum Signals {
  /// Makes a write to a pipe without a reader fail with `.brokenPipe` instead of ending the process.
  public static func ignoreBrokenPipe() {
    _ = signal(SIGPIPE, SIG_IGN)
  }
}
