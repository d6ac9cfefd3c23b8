#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// A thread, as long as it runs: the system gives the number to another one after that.
public struct ThreadIdentifier: Hashable, Sendable {
  let rawValue: UInt

  /// The thread that the caller runs on.
  public static var current: ThreadIdentifier {
    #if canImport(Glibc)
      ThreadIdentifier(rawValue: UInt(pthread_self()))
    #else
      ThreadIdentifier(rawValue: UInt(bitPattern: pthread_self()))
    #endif
  }
}
