package import LogStore
package import StorageTestSupport

/// What one simulation varies: each seed draws its own (swarm testing), so that rare mixtures come
/// up as often as common ones.
package struct SimulationKnobs: Sendable, Equatable {
  /// Where the store's identifiers and salts come from.
  package var seed: UInt64 = 1
  package var profile = CrashProfile.strict
  package var segmentByteCount = 2048
  package var readMode = LogConfiguration.ReadMode.mapped
  package var compression = LogConfiguration.Compression.automatic
  package var maintenance = LogConfiguration.Maintenance.inline
  package var keyCount = 12
  /// Collections in use: 1; 1 and 2; or 0, 1 and 2, where nothing is deleted from 0.
  package var collectionCount = 1
  /// Bytes of a key: 8, or more with a long common prefix.
  package var keyByteCount = 8

  /// Bytes of a transaction that are held in memory; more go to a segment of their own.
  package var transactionByteCount = 16 << 20
  /// Segments that are open at the same time.
  package var openFileCount = 64
  /// The headers of small commits.
  package var frames = Frames.long

  package enum Frames: Sendable, CaseIterable {
    /// As formats 1 to 6 have them, and scripts that name none.
    case long
    case short
    /// Each second opening is by a library that writes long ones only.
    case mixed
  }

  package init() {}

  /// The collection of key number `key`.
  func collection(of key: Int) -> CollectionIdentifier {
    let first = collectionCount == 3 ? 0 : 1
    return CollectionIdentifier(UInt32(first + key % collectionCount))
  }

  /// Whether the key's records are replaced and never deleted.
  func isPermanent(_ key: Int) -> Bool { collection(of: key) == .catalog }

  /// The bytes of key number `key`; in the order of the numbers.
  func bytes(ofKey key: Int) -> [UInt8] {
    [UInt8](repeating: 0x6B, count: max(0, keyByteCount - 2)) + [UInt8(key >> 8), UInt8(key & 255)]
  }

  /// How a store of the simulation is opened; `opening` counts its openings.
  func configuration(opening: UInt64) -> LogConfiguration {
    var configuration = LogConfiguration()
    configuration.segmentByteCountMinimum = UInt64(segmentByteCount)
    configuration.segmentByteCountMaximum = UInt64(segmentByteCount)
    configuration.readMode = readMode
    configuration.compression = compression
    configuration.maintenance = maintenance
    configuration.transactionByteCountInMemory = transactionByteCount
    configuration.openFileMaximum = openFileCount
    configuration.hasShortFrames = frames == .short || (frames == .mixed && opening % 2 == 0)
    configuration.notesHeads = (seed &+ opening) % 4 != 0
    if seed % 2 == 0 { configuration.rangeKeyCountMinimum = 2 }
    configuration.timeSource = ManualTimeSource()
    configuration.randomSource = SeededRandomSource(seed: seed &* 1_000_003 &+ opening)
    return configuration
  }
}
