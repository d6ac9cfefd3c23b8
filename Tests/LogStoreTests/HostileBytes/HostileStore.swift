import BinaryCoding
import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Stores whose bytes verify everywhere and were made by somebody else.
enum HostileStore {
  /// Numbers at which arithmetic goes wrong.
  static let extremes: [UInt64] = [
    0, 1, 2, 63, 64, 127, 128, 255, 4096, 4097, 0xFFFF, 0x1_0000, 1 << 24, 1 << 31,
    (1 << 32) - 1, 1 << 32, 1 << 61, (1 << 62) - 1, 1 << 62, 1 << 63, .max - 1, .max,
  ]

  /// The files of a store with several sealed segments, and one that is not when `isOpen`.
  static func files(
    isOpen: Bool, segmentByteCount: UInt64 = 8 << 10, hasRuns: Bool = false,
    hasShortFrames: Bool = true
  ) throws -> [String: [UInt8]] {
    let fileSystem = SimulatedFileSystem()
    var configuration = TestLog.configuration
    configuration.segmentByteCountMinimum = segmentByteCount
    configuration.segmentByteCountMaximum = segmentByteCount
    configuration.randomSource = SeededRandomSource(seed: 11)
    configuration.timeSource = ManualTimeSource()
    configuration.maintenance = .none
    configuration.hasShortFrames = hasShortFrames
    let log = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    for start in stride(from: 0, to: 300, by: 15) {
      try TestLog.put(start..<(start + 15), log, version: UInt64(start % 3))
      try TestLog.delete([start + 1], log)
      if hasRuns, start == 225 { try log.mergeIndexes() }
    }
    if !isOpen { try log.close() }
    return fileSystem.snapshotOfFiles(in: "/store")
  }

  static func manifest(of files: [String: [UInt8]]) throws -> Manifest {
    try (files["MANIFEST"] ?? []).withBytes { (bytes: UnsafeRawBufferPointer) throws(LogError) in
      try Manifest.decode(bytes, file: "MANIFEST")
    }
  }

  /// Everything that reads or writes a store; only typed errors may come out.
  static func use(_ files: [String: [UInt8]], _ readMode: LogConfiguration.ReadMode) {
    let fileSystem = SimulatedFileSystem(files: files, in: "/store")
    attempt { _ = try LogVerifier.verify("/store", fileSystem: fileSystem) }
    attempt { _ = try LogSalvage.salvage("/store", to: "/out", fileSystem: fileSystem) }
    attempt {
      let log = try TestLog.open(fileSystem, readMode: readMode)
      defer { attempt { try log.close() } }
      read(log)
      attempt { try TestLog.put([1, 2, 1000], log) }
      attempt { try TestLog.delete([3], log) }
      attempt { try log.sealActiveSegment() }
      attempt { try log.synchronize() }
      attempt { try log.mergeIndexes() }
      attempt {
        let sealed = try log.statistics().segments.map(\.identifier)
        let rewrite = try log.beginRewrite(of: Set(sealed))
        while let record = try rewrite.next() {
          _ = try record.payload()
          try rewrite.keep(record)
        }
        try rewrite.publish()
      }
      read(log)
    }
  }

  private static func read(_ log: Log) {
    let snapshot = log.snapshot()
    attempt {
      let statistics = try log.statistics()
      _ = (statistics.live, statistics.byteCount, statistics.liveByVersion)
    }
    for number in [0, 1, 2, 77, 299, 5000] {
      attempt { _ = try snapshot.record(for: TestLog.key(number), in: TestLog.people) }
    }
    for collection in [CollectionIdentifier.catalog, TestLog.people] {
      attempt {
        let cursor = try snapshot.records(in: collection)
        for _ in 0..<2000 {
          do throws(LogError) {
            guard try cursor.next() != nil else { break }
          } catch { continue }
        }
      }
    }
  }

  /// Runs `body`; what it throws must be an error of the log.
  private static func attempt(_ body: () throws -> Void) {
    do { try body() } catch {
      if !(error is LogError) { Issue.record("\(error)") }
    }
  }
}
