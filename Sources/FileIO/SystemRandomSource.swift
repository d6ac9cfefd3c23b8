/// The cryptographic random numbers of the operating system.
public struct SystemRandomSource: RandomSource {
  public init() {}

  /// The next 64 random bits; costs one system call.
  public func next() -> UInt64 {
    var generator = SystemRandomNumberGenerator()
    return generator.next()
  }
}
