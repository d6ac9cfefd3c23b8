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

  /// Whether the phase begins with an empty store.
  var isFromEmpty: Bool {
    switch self {
    case .fillsync, .fillsync8, .fillseq, .fillrandom, .load: true
    case .open, .read, .mixed, .overwrite, .aged, .latency, .compact, .compacted, .objects: false
    }
  }

  /// Whether it works on objects, not on bytes.
  var isOnObjects: Bool { self == .objects }

  /// Whether it may be repeated: an overwritten store cannot be overwritten for the first time.
  var isRepeatable: Bool { self != .overwrite && self != .latency && self != .compact }
}
