import FileIO
import LogStore
import ObjectStore
import StorageTestSupport

/// Writes stores of which every byte follows from a seed: clock and random numbers do too.
enum RepeatableRun {
  /// Writes the stores `log` and `objects` below `path`.
  static func write(below path: String, seed: UInt64, fileSystem: any FileSystem) throws {
    try RepeatableLogRun(seed: seed).run(at: path + "/log", fileSystem)
    try RepeatableStoreRun(seed: seed).run(at: path + "/objects", fileSystem)
  }

  /// Small segments, and no thread but the caller's.
  static func configuration(
    seed: UInt64, _ time: ManualTimeSource, _ random: SeededRandomSource
  ) -> LogConfiguration {
    var configuration = LogConfiguration()
    configuration.segmentByteCountMinimum = 2 << 10
    configuration.segmentByteCountMaximum = 2 << 10
    configuration.readMode = seed % 2 == 0 ? .mapped : .buffered
    configuration.maintenance = .inline
    configuration.timeSource = time
    configuration.randomSource = random
    return configuration
  }
}
