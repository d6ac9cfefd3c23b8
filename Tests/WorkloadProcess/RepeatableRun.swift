import FileIO
import LogStore
import ObjectStore
import StorageTestSupport

/// Writes stores of which every byte follows from a seed: clock and random numbers do too.
enum RepeatableRun {
  /// A store of a run, in a directory of its name.
  enum Part: String, CustomStringConvertible {
    case log, objects
    var description: String { rawValue }
  }

  static let allParts: [Part] = [.log, .objects]

  /// Writes the stores of `parts` below `path`.
  static func write(
    _ parts: [Part] = allParts, below path: String, seed: UInt64, fileSystem: any FileSystem
  ) throws {
    for part in parts {
      switch part {
      case .log: try RepeatableLogRun(seed: seed).run(at: "\(path)/\(part)", fileSystem)
      case .objects: try RepeatableStoreRun(seed: seed).run(at: "\(path)/\(part)", fileSystem)
      }
    }
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
