/// Settings of the whole process that a command makes once, before anything else.
public enum Signals {
  /// Makes writing to a pipe without a reader fail with `.brokenPipe`, not end the process.
  public static func ignoreBrokenPipe() {
    SystemCalls.ignoreBrokenPipe()
  }
}
