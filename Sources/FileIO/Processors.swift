/// The machine's processors.
public enum Processors {
  /// How many can be used now, at least 1.
  public static var count: Int { SystemCalls.processorCount() }
}
