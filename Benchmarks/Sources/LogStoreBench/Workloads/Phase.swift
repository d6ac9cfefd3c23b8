import ArgumentParser

/// A part of a run that is carried out by a process of its own, so that its memory is its own.
enum Phase: String, Codable, CaseIterable, ExpressibleByArgument {
  /// Into an empty store: single puts.
  case fillsync, fillsync8, fillseq, fillrandom
  /// Into an empty store: all records in batches. What follows uses this store.
  case load
  case open
  case read
  /// YCSB's mixes of reading and writing.
  case mixed
  case overwrite
  /// Reading after the overwrites, and again after compaction.
  case aged
  /// Single operations, one by one, beside a compaction too.
  case latency
  case compact, compacted
  /// Persons with typed members, in stores of their own.
  case objects
  /// Persons whose shape changes, by chains of so many steps; the first fills their store.
  case migrationSetup, migration1, migration5, migration50

  /// What a run consists of; the others are parts of these.
  static let selectable = allCases.filter { $0 != .migrationSetup }

  /// Whether the phase begins with an empty store.
  var isFromEmpty: Bool {
    [.fillsync, .fillsync8, .fillseq, .fillrandom, .load].contains(self)
  }

  /// The number of steps of a migration, for those phases that are one.
  var stepCount: Int? {
    switch self {
    case .migrationSetup, .migration1: 1
    case .migration5: 5
    case .migration50: 50
    default: nil
    }
  }

  /// Whether an engine takes part.
  func includes(_ engine: EngineKind) -> Bool {
    if stepCount != nil { return engine.keepsObjects || engine == .lmdb || engine == .rocksDB }
    if engine == .logStoreLZ4, self != .load { return false }
    // Where compression and compaction change nothing, they are as LogStore.
    if engine.isVariant, [.fillsync, .fillsync8, .fillseq, .open].contains(self) { return false }
    return (self == .objects) == engine.keepsObjects
  }

  /// Whether it shows how costs grow, and is run with several numbers of records or objects.
  var isScaled: Bool {
    [.load, .open, .read, .overwrite, .compact, .migration1].contains(self)
  }

  /// Whether it may be repeated: an overwritten store cannot be overwritten for the first time.
  var isRepeatable: Bool { ![.overwrite, .latency, .compact].contains(self) }
}
