internal import Foundation

/// How many threads check segments: each has the index of one in memory.
enum CheckingThreads {
  static let countMaximum = 256

  /// As many as there are processors, but no more than the maximum.
  static var count: Int { min(ProcessInfo.processInfo.activeProcessorCount, countMaximum) }
}
