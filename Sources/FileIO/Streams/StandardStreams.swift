/// Standard input, output and error as a whole: settings that a command makes before anything else.
public enum StandardStreams {
  /// Leads those that the process was started without to nowhere.
  ///
  /// The system gives the numbers of closed streams to the files that are opened next: messages
  /// would be written into a store. Reading such a stream finds its end, and what is written to it
  /// is gone. To be called before anything is opened.
  public static func openClosed() {
    SystemCalls.openClosedStandardDescriptors()
  }
}
